import { InputError } from '@bellhop/kernel';
import type { Hook } from '@hono/zod-openapi';
import type { AuthEnv } from './auth.js';

interface Issue {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
  readonly expected?: string;
  readonly errors?: readonly (readonly Issue[])[];
}

const PLACES: Readonly<Record<string, string>> = { json: 'the body', query: 'the query', param: 'the path', header: 'the headers' };

/** Turns what the schema of a route refuses into one {@link InputError} that names every fault. */
export const refuseInvalid: Hook<unknown, AuthEnv, string, unknown> = (result) => {
  if (result.success) return;
  const { issues } = result.error;
  const place = PLACES[result.target] ?? result.target;
  const [first] = issues;
  throw new InputError(
    'INVALID_INPUT',
    `${issues.map((issue) => issueText(issue as Issue, place)).join(' | ')}. /openapi.json lists what is allowed.`,
    first && first.path.length > 0 ? { path: first.path.join('.') } : {},
  );
};

function issueText(issue: Issue, place: string): string {
  const subject = issue.path.length === 0 ? place : issue.path.join('.');
  return `${subject}: ${faultText(issue)}`;
}

function faultText(issue: Issue): string {
  if (issue.code === 'unrecognized_keys') return `unknown field ${(issue.keys ?? []).map((key) => JSON.stringify(key)).join(', ')}`;
  // zod's word for a member that may hold anything and is not there.
  if (issue.expected === 'nonoptional') return 'it is required';
  if (issue.code === 'invalid_union' && issue.errors && issue.errors.length > 0) {
    return issue.errors
      .map((branch) =>
        branch.map((inner) => (inner.path.length === 0 ? faultText(inner) : `${inner.path.join('.')} ${faultText(inner)}`)).join(' and '),
      )
      .join(', or ');
  }
  return issue.message.replace(/^Invalid (?:input|option): /, '');
}
