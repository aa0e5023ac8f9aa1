import { type BoardEndpoint, type InboundWebhookInput, WEBHOOK_SOURCES, type WebhookSource, type WebhookTarget } from '@bellhop/contracts';
import { checkFields, checkName } from '@bellhop/store';
import { checkDistinct, checkQueue, refuse } from './endpoint-input.js';
import { checkStandardSecret } from './inbound/signatures.js';

// What is asked of the board when an inbound webhook is made, checked at the door. A secret must never be part of a message.

const FIELDS = ['source', 'targets', 'trustedSenders', 'secret'];
const TARGET_FIELDS = ['endpointId', 'queue'];
const MOST_TARGETS = 20;
const MOST_SENDERS = 100;

/** A webhook with its targets filled in. */
export interface CheckedWebhook {
  readonly source: WebhookSource;
  readonly targets: readonly WebhookTarget[];
  readonly trustedSenders: readonly string[] | null;
  /** Null: none was given. */
  readonly secret: string | null;
}

/**
 * All that can be checked without the endpoints that the targets name; those are for {@link checkTargets}.
 *
 * @param owner whose queues are the default targets.
 * @throws InputError `INVALID_INPUT`; the path names the field.
 */
export function checkWebhook(input: InboundWebhookInput, owner: BoardEndpoint): CheckedWebhook {
  const given = checkFields(input, 'input', FIELDS, '');
  const source = checkSource(given.source);
  return {
    source,
    targets: given.targets === undefined ? defaultTargets(owner) : checkDistinct(given.targets, 'targets', MOST_TARGETS, checkTarget),
    trustedSenders:
      given.trustedSenders === undefined ? null : checkDistinct(given.trustedSenders, 'trustedSenders', MOST_SENDERS, checkName),
    secret: given.secret === undefined ? null : checkSecret(given.secret, source),
  };
}

/** That what is sent to a webhook of the endpoint is taken. @param owner as it is now. @param now epoch milliseconds. @throws InputError `INVALID_INPUT`. */
export function checkOwner(owner: BoardEndpoint | undefined, now: number): void {
  if (!owner || !isLive(owner, now))
    refuse('endpoint', 'it is revoked or has expired, and takes no events; name one that is active, or vend another');
}

/**
 * That every target is a live endpoint of the organization and a queue of its scope.
 *
 * @param endpoints those of the organization that the targets name. @param now epoch milliseconds.
 * @throws InputError `INVALID_INPUT`.
 */
export function checkTargets(targets: readonly WebhookTarget[], endpoints: readonly BoardEndpoint[], now: number): void {
  for (const [place, { endpointId, queue }] of targets.entries()) {
    const endpoint = endpoints.find(({ id }) => id === endpointId);
    if (!endpoint)
      refuse(
        `targets[${place}].endpointId`,
        `${shownId(endpointId)} is no endpoint of the organization; give its id, which begins with ep_ (a slug is not taken here)`,
      );
    if (!isLive(endpoint, now)) refuse(`targets[${place}].endpointId`, 'this endpoint is revoked or has expired; name one that is active');
    if (!endpoint.queues.includes(queue)) {
      refuse(`targets[${place}].queue`, `not in the scope of its endpoint, which has ${endpoint.queues.length} queues; name one of them`);
    }
  }
}

/** As given, as far as a message can hold it. */
function shownId(id: string): string {
  return JSON.stringify(id.slice(0, 80));
}

/** Whether an endpoint takes work. @param now epoch milliseconds. */
export function isLive({ state, expiresAt }: Pick<BoardEndpoint, 'state' | 'expiresAt'>, now: number): boolean {
  return state === 'active' && (expiresAt === null || expiresAt > now);
}

function checkSource(value: unknown): WebhookSource {
  return WEBHOOK_SOURCES.find((known) => known === value) ?? refuse('source', `one of ${WEBHOOK_SOURCES.join(', ')} is needed`);
}

function checkTarget(value: unknown, path: string): WebhookTarget {
  const { endpointId, queue } = checkFields(value, path, TARGET_FIELDS, `${path}.`);
  return { endpointId: checkName(endpointId, `${path}.endpointId`), queue: checkQueue(queue, `${path}.queue`) };
}

function defaultTargets({ id, queues }: BoardEndpoint): WebhookTarget[] {
  if (queues.length > MOST_TARGETS) {
    refuse(
      'targets',
      `none given, and the endpoint has ${queues.length} queues, where a webhook has at most ${MOST_TARGETS} targets; name them`,
    );
  }
  return queues.map((queue) => ({ endpointId: id, queue }));
}

function checkSecret(value: unknown, source: WebhookSource): string {
  if (source === 'generic')
    refuse('secret', 'a generic webhook trusts whoever knows its URL and has no secret; leave it out, or name a source that signs');
  const secret = checkName(value, 'secret');
  if (source === 'standard') checkStandardSecret(secret);
  return secret;
}
