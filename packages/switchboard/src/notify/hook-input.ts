import type { BoardEndpoint, NotifyHookInput } from '@bellhop/contracts';
import { InputError } from '@bellhop/kernel';
import { checkFields, checkName, checkText } from '@bellhop/store';

// What a notify hook may be made of. Must never resolve a name: the ceiling is asked before any DNS, and the guard of `outbound` after it.

const HOOK_FIELDS = ['url', 'queues'] as const satisfies readonly (keyof NotifyHookInput)[];
const URL_MAX_CHARACTERS = 2_048;
const QUEUES_MAX = 100;

export interface CheckedHookInput {
  readonly url: string;
  /** Each once, in the order given; empty: all of the scope. */
  readonly queues: readonly string[];
}

/**
 * Checks the shape of a hook, then that its queues are of the endpoint's scope.
 *
 * @throws InputError `INVALID_INPUT`; the path names the value: `queues[2]`.
 */
export function checkHookInput(input: unknown, endpoint: Pick<BoardEndpoint, 'queues'>): CheckedHookInput {
  const { url, queues } = checkFields(input, 'input', HOOK_FIELDS, '');
  return { url: checkUrlText(url), queues: queues === undefined ? [] : checkQueues(queues, endpoint.queues) };
}

function checkUrlText(value: unknown): string {
  const url = checkText(value, 'url');
  if (url.length > 0 && url.length <= URL_MAX_CHARACTERS) return url;
  throw refusal('url', `${url.length} characters given; a URL of 1 to ${URL_MAX_CHARACTERS} is needed`);
}

function checkQueues(value: unknown, scope: readonly string[]): string[] {
  if (!Array.isArray(value) || value.length < 1 || value.length > QUEUES_MAX) {
    throw refusal('queues', `a list of 1 to ${QUEUES_MAX} queues is needed; leave it out for all of the scope`);
  }
  const queues = value.map((each, place) => {
    const queue = checkName(each, `queues[${place}]`);
    if (scope.includes(queue)) return queue;
    throw refusal(`queues[${place}]`, `${JSON.stringify(queue)} is no queue of the endpoint's scope; ${JSON.stringify(scope)} are`);
  });
  return [...new Set(queues)];
}

function refusal(path: string, problem: string): InputError {
  return new InputError('INVALID_INPUT', `${path}: ${problem}.`, { path });
}

/** A URL as it may be shown: without its query and fragment, which may hold a secret, nor credentials. */
export function shownUrl(text: string): string {
  if (!URL.canParse(text)) return '';
  const url = new URL(text);
  return `${url.origin}${url.pathname}`;
}
