import type { z } from 'zod';

export interface UnknownOption {
  /** Where the object is that holds the key. */
  readonly path: readonly PropertyKey[];
  readonly key: string;
  /** The keys that object may have. */
  readonly allowed: readonly string[];
}

/**
 * Every key of `given`, at any depth, that an object schema neither names nor lets through with a catch-all. Zod itself drops such keys
 * unless each object was declared strict, and a misspelt option that is dropped is an option that is silently ignored.
 */
export function unknownOptions(schema: z.core.$ZodType, given: unknown, path: readonly PropertyKey[] = []): UnknownOption[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object': {
      if (!isRecord(given)) return [];
      const allowed = Object.keys(def.shape);
      const open = def.catchall !== undefined && (def.catchall as z.core.$ZodTypes)._zod.def.type !== 'never';
      return Object.entries(given).flatMap(([key, value]) => {
        const member = Object.hasOwn(def.shape, key) ? def.shape[key] : undefined;
        if (member) return unknownOptions(member, value, [...path, key]);
        return open ? [] : [{ path, key, allowed }];
      });
    }
    case 'array':
      return Array.isArray(given) ? given.flatMap((item, at) => unknownOptions(def.element, item, [...path, at])) : [];
    case 'record':
      return isRecord(given) ? Object.entries(given).flatMap(([key, value]) => unknownOptions(def.valueType, value, [...path, key])) : [];
    case 'union':
      return unknownOfUnion(def.options, given, path);
    case 'pipe':
      return unknownOptions(def.in, given, path);
    case 'lazy':
      return unknownOptions(def.getter(), given, path);
    case 'optional':
    case 'nullable':
    case 'nonoptional':
    case 'default':
    case 'prefault':
    case 'catch':
    case 'readonly':
      return unknownOptions(def.innerType, given, path);
    default:
      return [];
  }
}

/** A value fits a union when one branch takes it whole; otherwise the first branch it satisfies says what is unknown. */
function unknownOfUnion(branches: readonly z.core.$ZodType[], given: unknown, path: readonly PropertyKey[]): UnknownOption[] {
  const unknown = branches
    .filter((branch) => (branch as z.ZodType).safeParse(given).success)
    .map((branch) => unknownOptions(branch, given, path));
  return unknown.find((found) => found.length === 0) ?? unknown[0] ?? [];
}

/** A plain object, the only kind whose keys are options; an instance of a class is a value. */
function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
