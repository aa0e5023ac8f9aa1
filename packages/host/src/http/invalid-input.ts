import { InputError } from '@bellhop/kernel';
import type { Hook } from '@hono/zod-openapi';
import type { Env } from 'hono';

/** What a schema made of one part of a request; whoever calls is of no account. */
type Checked = Parameters<Hook<unknown, Env, string, unknown>>[0];

interface Issue {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
  readonly expected?: string;
  readonly errors?: readonly (readonly Issue[])[];
}

const PLACES: Readonly<Record<string, string>> = { json: 'the body', query: 'the query', param: 'the path', header: 'the headers' };

/** Faults, and unknown fields, that one answer names: a body holds a hundred thousand of them. */
const NAMED_MAX = 10;
/** Characters of a field's name that are told again. */
const NAME_MAX_CHARACTERS = 80;

/** Turns what the schema of a route refuses into one {@link InputError} that names every fault, up to ten. */
export const refuseInvalid = (result: Checked): void => {
  if (result.success) return;
  const { issues } = result.error;
  const place = PLACES[result.target] ?? result.target;
  const [first] = issues;
  throw new InputError(
    'INVALID_INPUT',
    `${named(issues, (issue) => issueText(issue as Issue, place), ' | ')}. /openapi.json lists what is allowed.`,
    first && first.path.length > 0 ? { path: first.path.join('.') } : {},
  );
};

function issueText(issue: Issue, place: string): string {
  const subject = issue.path.length === 0 ? place : issue.path.join('.');
  return `${subject}: ${faultText(issue)}`;
}

function faultText(issue: Issue): string {
  if (issue.code === 'unrecognized_keys') return `unknown field ${named(issue.keys ?? [], quoted, ', ')}`;
  // zod's word for a member that may hold anything and is not there.
  if (issue.expected === 'nonoptional') return 'it is required';
  if (issue.code === 'invalid_union' && issue.errors && issue.errors.length > 0) {
    return issue.errors
      .map((branch) =>
        named(branch, (inner) => (inner.path.length === 0 ? faultText(inner) : `${inner.path.join('.')} ${faultText(inner)}`), ' and '),
      )
      .join(', or ');
  }
  return issue.message.replace(/^Invalid (?:input|option): /, '');
}

function named<Each>(all: readonly Each[], text: (each: Each) => string, separator: string): string {
  const more = all.length - NAMED_MAX;
  return `${all.slice(0, NAMED_MAX).map(text).join(separator)}${more > 0 ? `${separator}${more} more` : ''}`;
}

function quoted(key: string): string {
  return JSON.stringify(key.length > NAME_MAX_CHARACTERS ? `${key.slice(0, NAME_MAX_CHARACTERS)}…` : key);
}
