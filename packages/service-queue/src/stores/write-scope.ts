import type { JobScope, WriteScope } from '@bellhop/contracts';

/** Whose rows a caller writes: those of the organization it names or, where it names none, anybody's, for the reason `global`. */
export function writeScope(scope: JobScope | undefined, global: string): WriteScope {
  return scope?.organizationId === undefined ? { global } : { organizationId: scope.organizationId };
}
