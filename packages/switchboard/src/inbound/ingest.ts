/**
 * Takes in events: the one door through which strangers make todos. What is not signed as its source signs is never stored, and neither a body nor a
 * signature ever gets into a log or an error.
 */
import { randomUUID } from 'node:crypto';
import {
  type AnsweredChallenge,
  type InboundAdmission,
  type InboundRequest,
  type InboundWebhook,
  type IngestResult,
  QUARANTINE_QUEUE,
  type Store,
  type WebhookTarget,
} from '@bellhop/contracts';
import { BellhopError, type Logger } from '@bellhop/kernel';
import type { SecretSealer } from '@bellhop/outbound';
import type { BoardAnnouncements } from '../board-announcements.js';
import { hashCredential } from '../credential.js';
import { gateVerdict } from '../gate.js';
import { type EventTodoRecord, findEventTodos } from '../sql/events.js';
import { insertInboundEvent } from '../sql/insert-inbound-event.js';
import { type InsertedTodo, insertTodos, type NewTodoRow } from '../sql/insert-todos.js';
import type { WebhookOfToken, WebhookStore } from '../stores/webhook-store.js';
import { isLive } from '../webhook-input.js';
import { addressKey } from './address-key.js';
import type { AddressLimit } from './address-limit.js';
import { checkBodySize, readBody } from './inbound-body.js';
import { challengeOf, type InboundEvent, readEvent } from './inbound-event.js';
import { verifySignature } from './signatures.js';

/** Attempts of a todo that came in. */
const MAX_ATTEMPTS = 5;

export interface IngestOptions {
  readonly store: Store;
  readonly webhooks: WebhookStore;
  readonly sealer: SecretSealer;
  readonly limit: AddressLimit;
  readonly announcements: BoardAnnouncements;
  readonly logger: Logger;
}

/** An event of which all is known. */
interface Taken {
  readonly of: WebhookOfToken;
  readonly event: InboundEvent;
  readonly verified: boolean;
  /** JSON text. */
  readonly payload: string;
}

/** Inbound deliveries, from the first byte to the commit. */
export class Ingest {
  readonly #options: IngestOptions;

  constructor(options: IngestOptions) {
    this.#options = options;
  }

  /**
   * Stores an event and its todos in one transaction, then tells who waits for them. A delivery that was here before stores nothing and is answered
   * with the first one's todos. One that only asks whether the URL is ours is answered, and stores nothing.
   *
   * @throws BellhopError `RATE_LIMITED`, `NOT_FOUND`, `UNAUTHENTICATED`, `ENCRYPTION_KEY`, `SEALED_VALUE`; InputError `PAYLOAD_TOO_LARGE`,
   * `INVALID_INPUT`. Nothing is stored then.
   */
  async ingest({ token, headers, body, address }: InboundRequest): Promise<IngestResult | AnsweredChallenge> {
    this.#takeFrom(address);
    checkBodySize(body);
    return this.#ingest(await this.#webhookOf(token), { headers, body });
  }

  /**
   * All that can be asked before the body was read, and the rest of it for then.
   *
   * @throws BellhopError `RATE_LIMITED`, `NOT_FOUND`.
   */
  async admit({ token, address }: Pick<InboundRequest, 'token' | 'address'>): Promise<InboundAdmission> {
    this.#takeFrom(address);
    const of = await this.#webhookOf(token);
    return {
      countedAs: addressKey(address),
      ingest: async (request) => {
        checkBodySize(request.body);
        return this.#ingest(of, request);
      },
    };
  }

  #takeFrom(address: string): void {
    if (this.#options.limit.take(address)) return;
    throw new BellhopError(
      'RATE_LIMITED',
      'This address sent too much: 20 requests at once and 10 a second are allowed; send it again later.',
    );
  }

  async #ingest(
    of: WebhookOfToken,
    { headers, body }: Pick<InboundRequest, 'headers' | 'body'>,
  ): Promise<IngestResult | AnsweredChallenge> {
    const verified = this.#verify(of, headers, body);
    const { value, text } = readBody(body);
    const challenge = challengeOf(of.webhook.source, value);
    if (challenge !== null) return { challenge };
    return this.#store({ of, event: readEvent(of.webhook.source, headers, value), verified, payload: text });
  }

  async #webhookOf(token: string): Promise<WebhookOfToken> {
    const { webhooks, store } = this.#options;
    const of = await webhooks.byTokenHash(hashCredential(token));
    if (of && isLive(of.owner, store.clock.now())) return of;
    throw noWebhook();
  }

  /** @returns whether who sent it is proven; a generic webhook trusts whoever knows its URL. */
  #verify({ webhook: { id, source }, sealedSecret }: WebhookOfToken, headers: InboundRequest['headers'], body: Uint8Array): boolean {
    if (source === 'generic') return false;
    const { sealer, store, logger } = this.#options;
    const secret = sealer.open(sealedSecret ?? '', id);
    if (verifySignature(source, { headers, body, secret, nowMs: store.clock.now() })) return true;
    logger.warn({ webhookId: id, source }, 'refused an inbound event whose signature is missing, wrong or too old');
    throw new BellhopError(
      'UNAUTHENTICATED',
      `The signature is missing, too old, or not that of ${source} with this webhook's secret; compare the secret at both ends.`,
    );
  }

  async #store({ of, event, verified, payload }: Taken): Promise<IngestResult> {
    const { store, announcements } = this.#options;
    const { webhook, organizationId } = of;
    const scope = { organizationId };
    const now = store.clock.now();
    const eventId = `ev_${randomUUID()}`;
    const key = { eventId, webhookId: webhook.id, externalId: event.externalId };
    const todos = toTodos({ of, event, verified });
    const takers = [...new Set(todos.map(({ endpoint_id }) => endpoint_id))];
    const [, inserted, held] = await store.batch([
      {
        statement: insertInboundEvent,
        params: {
          ...key,
          endpointId: webhook.endpointId,
          source: webhook.source,
          takers: JSON.stringify(takers),
          organizationId,
          kind: event.kind,
          sender: event.sender,
          verified: verified ? 1 : 0,
          now,
          payload,
        },
        scope,
      },
      { statement: insertTodos, params: { eventId, moved: randomUUID(), now, todos: JSON.stringify(todos) }, scope },
      { statement: findEventTodos, params: key },
    ]);
    announcements.announce((inserted?.rows ?? []) as unknown as InsertedTodo[], 'created');
    const rows = (held?.rows ?? []) as unknown as EventTodoRecord[];
    const [holder] = rows;
    if (!holder) throw noWebhook();
    return {
      eventId: holder.event_id,
      todoIds: rows.flatMap(({ todo_id }) => todo_id ?? []),
      replayed: holder.event_id !== eventId,
      verified: holder.verified === 1,
    };
  }
}

function noWebhook(): BellhopError {
  return new BellhopError('NOT_FOUND', 'There is no webhook of this token, or the endpoints it is for are revoked; check the URL.');
}

/** One todo for each target, or in quarantine for each, where the webhook does not trust who sent it. */
function toTodos({ of: { webhook, organizationId }, event, verified }: Omit<Taken, 'payload'>): NewTodoRow[] {
  const trusted = isTrusted(webhook, event.sender);
  return webhook.targets.map((target) => ({
    id: `td_${randomUUID()}`,
    organization_id: organizationId,
    ...(trusted ? toTarget(target) : toQuarantine(webhook, target)),
    gate: gateVerdict({ verified, source: webhook.source }) ? 1 : 0,
    source: webhook.source,
    kind: event.kind,
    title: event.title,
    // The event's: it may be large, and the targets many.
    payload: null,
    idempotency_key: null,
    assignee: null,
    max_attempts: MAX_ATTEMPTS,
  }));
}

function isTrusted({ trustedSenders }: InboundWebhook, sender: string | null): boolean {
  return trustedSenders === null || (sender !== null && trustedSenders.includes(sender));
}

function toTarget({ endpointId, queue }: WebhookTarget) {
  return { endpoint_id: endpointId, queue, quarantine_reason: null, quarantine_queue: null, quarantine_endpoint_id: null };
}

/** At the webhook's owner, who then knows where it was to go. */
function toQuarantine(webhook: InboundWebhook, { endpointId, queue }: WebhookTarget) {
  return {
    endpoint_id: webhook.endpointId,
    queue: QUARANTINE_QUEUE,
    quarantine_reason: 'untrusted_sender',
    quarantine_queue: queue,
    quarantine_endpoint_id: endpointId,
  };
}
