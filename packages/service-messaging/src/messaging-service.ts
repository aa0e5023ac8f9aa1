import type {
  CancelFilter,
  DeliveryFilter,
  DeliveryPage,
  EmitInput,
  EmitResult,
  INotificationOutbox,
  Inbox,
  Messaging,
  NotificationChannel,
  NotificationRecord,
  Transaction,
  TransactionOption,
} from '@bellhop/contracts';
import { BellhopError, type Clock, errorMessage, InputError, type Logger, type Random, silentLogger, systemRandom } from '@bellhop/kernel';
import { checkName, createIdSource, type IdSource } from '@bellhop/store';
import { ChannelRegistry } from './channel-registry.js';
import { checkCancelFilter, checkListFilter } from './delivery-input.js';
import { type CheckedEmit, checkEmitInput } from './emit-input.js';
import type { EmitWriter, EmitWritten, PreparedEmit } from './emit-writer.js';
import type { EventStore } from './event-store.js';
import { InlineDelivery, type InlineOutcome } from './inline-delivery.js';
import { prepareEmit } from './prepare-emit.js';
import { SplitEmitWriter } from './split-emit-writer.js';

export interface MessagingServiceOptions {
  readonly clock: Clock;
  /** For ids. Default: the machine's. */
  readonly random?: Random;
  readonly logger?: Logger;
  readonly events: EventStore;
  readonly inbox: Inbox;
  /** Calls `fn` once the root of `trx` has committed, never after a rollback: the store's `afterCommit`. Without it `{ trx }` is refused. */
  readonly afterCommit?: (trx: Transaction, fn: () => void) => void;
  /** Aborts inline sends. Default: never. */
  readonly signal?: AbortSignal;
}

/** What an emit made to wait in the outbox. */
export interface Enqueued {
  /** Epoch milliseconds of the row that is due first. */
  readonly dueAt: number;
}

export interface OutboxWiring {
  /**
   * Called after the commit of every emit (or `emitMany`) that enqueued at least one delivery, once: a dispatcher ticks when `dueAt` has
   * come, and lowers its timer when it has not. What it throws is logged; the rows are there all the same.
   */
  readonly onEnqueued?: (enqueued: Enqueued) => void;
  /** Default: events into the event store, then rows into the outbox. An outbox in the event store's database brings a writer that joins both. */
  readonly writer?: EmitWriter;
}

/**
 * The way in: `emit` checks, resolves audience and channels, and hands the event with all its rows to one write.
 *
 * Invariants: everything that can be refused is refused before the write; nothing is asked of a channel inside it; whoever waits for rows
 * hears of them after their commit and never otherwise.
 */
export class MessagingService implements Messaging {
  readonly inbox: Inbox;
  /** For the dispatcher, which sends through the same channels. */
  readonly channelRegistry: ChannelRegistry;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #events: EventStore;
  readonly #afterCommit: MessagingServiceOptions['afterCommit'];
  readonly #nextId: IdSource;
  readonly #inline: InlineDelivery;
  #outbox: INotificationOutbox | undefined;
  #writer: EmitWriter | undefined;
  #onEnqueued: OutboxWiring['onEnqueued'];

  constructor({ clock, random = systemRandom, logger = silentLogger, events, inbox, afterCommit, signal }: MessagingServiceOptions) {
    this.#clock = clock;
    this.#logger = logger;
    this.#events = events;
    this.#afterCommit = afterCommit;
    this.#nextId = createIdSource({ clock, random });
    this.inbox = inbox;
    this.channelRegistry = new ChannelRegistry({ logger, clock });
    this.#inline = new InlineDelivery({
      events,
      logger,
      clock,
      signal: signal ?? new AbortController().signal,
      channel: (id) => this.channelRegistry.get(id),
    });
  }

  /** From now on emits go into `outbox`; with `null` they deliver inline. */
  setOutbox(outbox: INotificationOutbox | null, wiring: OutboxWiring = {}): void {
    this.#outbox = outbox ?? undefined;
    this.#writer = outbox ? (wiring.writer ?? new SplitEmitWriter(this.#events, outbox)) : undefined;
    this.#onEnqueued = wiring.onEnqueued;
  }

  async emit(input: EmitInput, options: TransactionOption = {}): Promise<EmitResult> {
    const [result] = await this.#emit([checkEmitInput(input)], options);
    return result as EmitResult;
  }

  async emitMany(inputs: readonly EmitInput[], options: TransactionOption = {}): Promise<EmitResult[]> {
    if (!Array.isArray(inputs)) throw new InputError('INVALID_INPUT', 'inputs: a list of emits is needed.', { path: 'inputs' });
    return this.#emit(
      inputs.map((input, index) => checkEmitInput(input, `inputs[${index}].`)),
      options,
    );
  }

  async getNotification(id: string, scope: { organizationId: string }): Promise<NotificationRecord | null> {
    return this.#events.get(checkName(id, 'id'), { organizationId: checkName(scope.organizationId, 'organizationId') });
  }

  async listDeliveries(filter: DeliveryFilter & { organizationId: string }): Promise<DeliveryPage> {
    checkListFilter(filter);
    return this.#outbox ? this.#outbox.list(filter) : { items: [], nextCursor: null };
  }

  async cancel(filter: CancelFilter & { organizationId: string }): Promise<number> {
    checkCancelFilter(filter);
    if (!this.#outbox) return 0;
    if (this.#outbox.cancel) return this.#outbox.cancel(filter);
    throw new BellhopError('OUTBOX_REQUIRED', 'cancel: the bound outbox cannot cancel; bind one that has `cancel`.');
  }

  registerChannel(channel: NotificationChannel): void {
    this.channelRegistry.register(channel);
  }

  unregisterChannel(id: string): void {
    this.channelRegistry.unregister(id);
  }

  channels(): readonly string[] {
    return this.channelRegistry.ids();
  }

  async #emit(inputs: readonly CheckedEmit[], { trx }: TransactionOption): Promise<EmitResult[]> {
    this.#refuseImpossible(inputs, trx);
    if (inputs.length === 0) return [];
    const routes = await Promise.all(inputs.map(({ channels, organizationId }) => this.channelRegistry.route(channels, organizationId)));
    const now = this.#clock.now();
    const calls = inputs.map((input, index) => prepareEmit(input, routes[index] as (typeof routes)[number], { nextId: this.#nextId, now }));
    for (const { topic, recipients } of inputs) {
      if (recipients.length === 0) this.#logger.warn({ topic }, 'emit has no recipients');
    }
    if (!this.#writer) {
      const outcomes = await this.#inline.deliver(calls);
      return calls.map((call, index) => inlineResult(call, outcomes[index] as InlineOutcome));
    }
    const written = await this.#writer.write(calls, trx ? { trx } : {});
    this.#announce(calls, written, trx);
    return calls.map((call, index) => enqueuedResult(call, written[index] as EmitWritten));
  }

  #refuseImpossible(inputs: readonly CheckedEmit[], trx: Transaction | undefined): void {
    if (trx && !this.#afterCommit) {
      throw new InputError('INVALID_INPUT', 'trx: this service was made without `afterCommit` and cannot join a transaction.', {
        path: 'trx',
      });
    }
    if (this.#writer) return;
    if (trx) {
      throw new BellhopError(
        'OUTBOX_REQUIRED',
        'trx: without an outbox an emit is sent at once, before the transaction can commit; emit after it.',
      );
    }
    const now = this.#clock.now();
    if (inputs.some(({ notBefore }) => notBefore !== null && notBefore > now)) {
      throw new BellhopError(
        'OUTBOX_REQUIRED',
        'notBefore: without an outbox nothing can wait; configure an outbox, or emit when it is due.',
      );
    }
  }

  #announce(calls: readonly PreparedEmit[], written: readonly EmitWritten[], trx: Transaction | undefined): void {
    const onEnqueued = this.#onEnqueued;
    const due = calls.filter((_, index) => (written[index] as EmitWritten).deliveryIds.length > 0).flatMap((call) => call.deliveries);
    if (!onEnqueued || due.length === 0) return;
    const dueAt = due.reduce((earliest, delivery) => Math.min(earliest, delivery.dueAt), Number.POSITIVE_INFINITY);
    const announce = (): void => {
      try {
        onEnqueued({ dueAt });
      } catch (error) {
        this.#logger.error({ error: errorMessage(error) }, 'onEnqueued failed: the rows wait for the next tick');
      }
    };
    if (trx) this.#afterCommit?.(trx, announce);
    else announce();
  }
}

function enqueuedResult({ event, deliveries }: PreparedEmit, { notificationId, deduped, deliveryIds }: EmitWritten): EmitResult {
  const isRepeat = deduped === true && deliveryIds.length === 0;
  return {
    notificationId,
    deduped,
    deliveries: deliveryIds.map((deliveryId, index) => {
      const { channel, recipientId } = deliveries[index] as (typeof deliveries)[number];
      return { channel, recipientId, ok: true, deliveryId };
    }),
    enqueued: deliveryIds.length,
    delivered: 0,
    failed: 0,
    suppressed: isRepeat ? [] : event.suppressed,
  };
}

function inlineResult({ event }: PreparedEmit, { notificationId, deduped, deliveries }: InlineOutcome): EmitResult {
  const delivered = deliveries.filter(({ ok }) => ok).length;
  return {
    notificationId,
    deduped,
    deliveries,
    enqueued: 0,
    delivered,
    failed: deliveries.length - delivered,
    suppressed: deduped && deliveries.length === 0 ? [] : event.suppressed,
  };
}
