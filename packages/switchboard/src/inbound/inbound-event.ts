/**
 * What the board wants to know of an event, out of the headers and the body of whoever sent it. The senders' formats are written down here and
 * nowhere else. Any of it may be of any type: what does not fit counts as not given.
 */
import type { WebhookSource } from '@bellhop/contracts';
import { idOf, lineOf, nameOf } from './event-text.js';

export interface InboundEvent {
  /** The source's id of this delivery: the same one again is a replay. Null: it has none, and every delivery is an event of its own. */
  readonly externalId: string | null;
  /** What happened, in the source's words. */
  readonly kind: string | null;
  /** Who did it, exactly as the source says. */
  readonly sender: string | null;
  /** One line of 1 to 255 characters. */
  readonly title: string;
}

type Headers = Readonly<Record<string, string | undefined>>;

/** What a reader finds, as it stands there. */
interface Found {
  readonly id: unknown;
  readonly kind: unknown;
  readonly sender: unknown;
  /** Words that the title may be made of besides its kind; those that are no text are left out. */
  readonly about: readonly unknown[];
}

const READERS: Readonly<Record<WebhookSource, (headers: Headers, body: unknown) => Found>> = {
  github: (headers, body) => forge('x-github', headers, body),
  gitea: (headers, body) => forge('x-gitea', headers, body),
  stripe: (_headers, body) => ({
    id: at(body, 'id'),
    kind: at(body, 'type'),
    sender: at(body, 'account'),
    about: [at(body, 'data', 'object', 'id')],
  }),
  slack: (_headers, body) => ({
    id: at(body, 'event_id'),
    kind: lineOf(at(body, 'event', 'type')) ?? at(body, 'type'),
    sender: at(body, 'event', 'user'),
    about: [at(body, 'event', 'text')],
  }),
  standard: (headers, body) => ({
    id: headers['webhook-id'],
    kind: at(body, 'type'),
    sender: at(body, 'sender'),
    about: [at(body, 'title')],
  }),
  generic: (headers, body) => ({
    id: headers['x-delivery-id'] || headers['idempotency-key'],
    kind: headers['x-event-kind'] || at(body, 'kind'),
    sender: at(body, 'sender'),
    about: [at(body, 'title')],
  }),
};

/** @param body the parsed JSON. */
export function readEvent(source: WebhookSource, headers: Headers, body: unknown): InboundEvent {
  const { id, kind, sender, about } = READERS[source](headers, body);
  const words = [lineOf(kind), ...about.map(lineOf)].filter((word) => word !== null);
  return {
    externalId: idOf(id),
    kind: lineOf(kind),
    sender: nameOf(sender),
    title: lineOf(words.join(': ')) ?? `${source} event`,
  };
}

/** The longest that is sent back. Slack's have some 50 characters. */
const CHALLENGE_MAX_CHARACTERS = 1_024;

/**
 * What has to be sent back to a source that asks whether the URL is ours: Slack sends no event to one that did not answer.
 *
 * @param body the parsed JSON, its signature verified: an answer to anybody would let strangers have texts of theirs sent from here.
 * @returns null for any other delivery.
 */
export function challengeOf(source: WebhookSource, body: unknown): string | null {
  if (source !== 'slack' || at(body, 'type') !== 'url_verification') return null;
  const challenge = at(body, 'challenge');
  return typeof challenge === 'string' && challenge.length <= CHALLENGE_MAX_CHARACTERS ? challenge : null;
}

/** GitHub, and what speaks as it does. */
function forge(prefix: string, headers: Headers, body: unknown): Found {
  const thing = [at(body, 'pull_request', 'title'), at(body, 'issue', 'title'), at(body, 'head_commit', 'message')];
  return {
    id: headers[`${prefix}-delivery`],
    kind: headers[`${prefix}-event`],
    sender: at(body, 'sender', 'login'),
    about: [at(body, 'action'), at(body, 'repository', 'full_name'), thing.find((title) => lineOf(title) !== null)],
  };
}

/** The value at a path of own keys. */
function at(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Record<string, unknown>)[key];
  }
  return found;
}
