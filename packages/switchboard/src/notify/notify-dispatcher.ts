import { randomUUID } from 'node:crypto';
import type { ReadyReason, ReadyTodo, Store, WakeOutcome, WakeOutcomeKind } from '@bellhop/contracts';
import { type Clock, errorMessage, type Logger, type Random, type Timer } from '@bellhop/kernel';
import { type OutboundClient, type OutboundResult, signWebhook } from '@bellhop/outbound';
import { type DeliveryRecord, findWakeHooks, readDelivery } from '../sql/read-wakes.js';
import type { NotifyHookStore, SecretSealing } from '../stores/notify-hook-store.js';
import { type AttemptClass, verdictOf } from './attempt-class.js';
import { type Delivery, DeliveryQueue } from './delivery-queue.js';
import { HookLimit } from './hook-limit.js';
import { type DropCause, type NotifyCounters, zeroCounters } from './notify-counters.js';
import { ATTEMPTS_MAX, retryWaitMs } from './retry-waits.js';
import { SteadyWarnings } from './steady-warnings.js';
import { todoReadyBody } from './todo-ready-body.js';
import { Wake } from './wake.js';
import { WakeQueue } from './wake-queue.js';

/** Of POSTs. */
const WORKERS = 8;
/** Wakes whose hooks are looked up at once: each is a read of the store, which may be far. */
const SPREADERS = 4;
/** Milliseconds for one POST and its answer. */
const POST_TIMEOUT_MS = 5_000;
/** The answer's text is of no use; what is read of it lets a receiver write its line in peace. */
const ANSWER_BYTES = 1_024;
/** Milliseconds that a stop waits for what is at work. */
const STOP_MS = 5_000;

export interface NotifyDispatcherPorts {
  readonly store: Store;
  readonly hooks: Pick<NotifyHookStore, 'max' | 'noteSuccess' | 'noteFailure'>;
  /** It checks the target and pins the dial at every call. */
  readonly client: Pick<OutboundClient, 'send'>;
  readonly sealer: Pick<SecretSealing, 'open'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** For the user agent, `bellhop/<version>`. */
  readonly version: string;
}

/** What one attempt came to: an end, or another attempt. */
type AttemptEnd = WakeOutcomeKind | 'again';

/**
 * Tells notify hooks of todos that may be claimed. A wake is a hint: it is held in memory, bounded, and lost with the process.
 *
 * Invariants: `take` never waits; endpoint, scope, hook, secret and todo are read anew before every POST, so what was revoked or claimed
 * meanwhile is told to nobody; a delivery that waits for its retry holds no worker; each wake that was taken is reported exactly once; neither
 * payloads, URLs nor secrets reach a log.
 */
export class NotifyDispatcher {
  readonly #ports: NotifyDispatcherPorts;
  readonly #wakes = new WakeQueue();
  readonly #deliveries = new DeliveryQueue();
  readonly #limit: HookLimit;
  readonly #warnings: SteadyWarnings;
  readonly #counters = zeroCounters();
  readonly #retries = new Map<Delivery, Timer>();
  readonly #listeners = new Set<{ readonly fn: (outcome: WakeOutcome) => void | Promise<void> }>();
  /** What listeners have begun and not ended. */
  readonly #listening = new Set<Promise<void>>();
  readonly #abort = new AbortController();
  #forgiving = false;
  #posting = 0;
  #spreading = 0;
  #idleWaiters: (() => void)[] = [];

  constructor(ports: NotifyDispatcherPorts) {
    this.#ports = ports;
    this.#limit = new HookLimit(ports.clock);
    this.#warnings = new SteadyWarnings(ports.clock, ports.logger);
  }

  /** Called with what came of each wake; `stop` waits for what it returns. @returns the call that ends it. */
  onOutcome(fn: (outcome: WakeOutcome) => void | Promise<void>): () => void {
    const listener = { fn };
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Holds failed deliveries against no hook from here on: for a command, whose surroundings (what may be called, and by which way) are not those of
   * the hosts that the hook serves.
   */
  forgiveFailures(): void {
    this.#forgiving = true;
  }

  /** Takes a wake, to be delivered whenever there is room. @param wakeId comes back with its outcome. */
  take(todo: ReadyTodo, reason: ReadyReason, wakeId?: string): void {
    const wake = new Wake(todo, reason, wakeId, this.#ports.store.clock.now());
    if (this.#ports.hooks.max === 0) this.#report(wake, 'suppressed');
    else if (this.#abort.signal.aborted) this.#dropWake(wake, 'stopped');
    else if (this.#wakes.add(wake)) this.#work();
    else {
      this.#warnings.warn('wakes_full', { endpointId: todo.endpointId }, 'a wake was dropped: too many are waiting');
      this.#dropWake(wake, 'wakes_full');
    }
  }

  counters(): NotifyCounters {
    return structuredClone(this.#counters);
  }

  /** Resolves once nothing is at work and nothing waits for a worker. What waits for its retry is left out. */
  settled(): Promise<void> {
    return this.#idle ? Promise.resolve() : new Promise((resolve) => this.#idleWaiters.push(resolve));
  }

  /** Drops what waits, ends the POSTs under way, and waits for what they and the listeners leave to be written, 5 s at most. Idempotent. */
  async stop(): Promise<void> {
    this.#abort.abort();
    for (const wake of this.#wakes.clear()) this.#dropWake(wake, 'stopped');
    const waiting = [...this.#deliveries.clear(), ...this.#retries.keys()];
    for (const timer of this.#retries.values()) timer.cancel();
    this.#retries.clear();
    for (const delivery of waiting) this.#dropDelivery(delivery, 'stopped');
    let timer: Timer | undefined;
    const late = new Promise<void>((resolve) => {
      timer = this.#ports.clock.setTimeout(resolve, STOP_MS);
    });
    await Promise.race([this.#ended(), late]);
    timer?.cancel();
  }

  async #ended(): Promise<void> {
    await this.settled();
    await Promise.all(this.#listening);
  }

  /** Gives work to whoever has none. Wakes are looked at beside the workers, a few at a time: receivers that hang must not keep others from theirs. */
  #work(): void {
    while (this.#posting < WORKERS) {
      const delivery = this.#deliveries.next();
      if (!delivery) break;
      this.#posting += 1;
      void this.#deliver(delivery).finally(() => {
        this.#posting -= 1;
        this.#rest();
      });
    }
    while (this.#spreading < SPREADERS) {
      const wake = this.#wakes.next();
      if (!wake) break;
      this.#spreading += 1;
      void this.#spread(wake).finally(() => {
        this.#spreading -= 1;
        this.#rest();
      });
    }
  }

  #rest(): void {
    this.#work();
    if (this.#idle) for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }

  get #idle(): boolean {
    return this.#posting === 0 && this.#spreading === 0;
  }

  /** Finds the hooks of a wake, and begins a delivery to each. */
  async #spread(wake: Wake): Promise<void> {
    let hooks: { readonly id: string }[];
    try {
      hooks = await this.#ports.store.read<{ id: string }>(findWakeHooks, this.#askingFor(wake));
    } catch (error) {
      this.#warnings.warn('store', { error: errorMessage(error) }, 'a wake was not delivered: its hooks could not be read');
      return this.#report(wake, 'failed');
    }
    if (hooks.length === 0) return this.#report(wake, 'suppressed');
    wake.expect(hooks.length);
    for (const { id: hookId } of hooks) {
      const delivery: Delivery = { wake, hookId, messageId: `msg_${randomUUID()}`, attempts: 0, last: undefined };
      if (this.#abort.signal.aborted) this.#endOf(delivery, 'dropped', 'stopped');
      else if (!this.#deliveries.begin(delivery)) {
        this.#warnings.warn('deliveries_full', { hookId }, 'a delivery was dropped: too many are waiting');
        this.#endOf(delivery, 'dropped', 'deliveries_full');
      }
    }
  }

  async #deliver(delivery: Delivery): Promise<void> {
    delivery.attempts += 1;
    const end = await this.#attempt(delivery).catch((error: unknown): AttemptEnd => {
      this.#warnings.warn('fault', { hookId: delivery.hookId, error: errorMessage(error) }, 'a delivery failed');
      return 'failed';
    });
    this.#deliveries.leave(delivery);
    if (end !== 'again') {
      this.#deliveries.end(delivery);
      return this.#endOf(delivery, end);
    }
    if (this.#abort.signal.aborted) return this.#dropDelivery(delivery, 'stopped');
    const wait = retryWaitMs(delivery.attempts, this.#ports.random);
    const timer = this.#ports.clock.setTimeout(() => {
      this.#retries.delete(delivery);
      this.#deliveries.again(delivery);
      this.#work();
    }, wait);
    this.#retries.set(delivery, timer);
  }

  async #attempt(delivery: Delivery): Promise<AttemptEnd> {
    const { hookId, wake } = delivery;
    let record: DeliveryRecord | undefined;
    try {
      [record] = await this.#ports.store.read<DeliveryRecord>(readDelivery, { ...this.#askingFor(wake), hookId });
    } catch (error) {
      this.#warnings.warn('store', { hookId, error: errorMessage(error) }, 'a delivery could not be read');
      return delivery.attempts < ATTEMPTS_MAX ? 'again' : this.#failed(delivery);
    }
    // Revoked, disabled, out of scope, or all claimed: there is nothing to say any more. A receiver that answers late may have started who claimed it:
    // its attempts were not used up, and nothing is held against the hook.
    if (!record) return delivery.last ? 'failed' : 'suppressed';
    if (!this.#limit.take(hookId)) {
      this.#counters.dropped.rate_limited += 1;
      this.#warnings.warn('rate_limited', { hookId }, 'a delivery was dropped: the hook has had its share of this minute');
      return 'dropped';
    }
    const secrets = this.#secretsOf(record, hookId);
    if (!secrets) return 'failed';
    const result = await this.#post(delivery, record, secrets);
    const verdict = verdictOf(result);
    if (!verdict) {
      this.#counters.dropped.stopped += 1;
      return 'dropped';
    }
    this.#counters.attempts[verdict.class] += 1;
    delivery.last = {
      class: verdict.class,
      at: this.#ports.store.clock.now(),
      // Of a refusal the guard says what is allowed; what a receiver or a resolver says goes into no log.
      ...(verdict.class === 'refused' && result.kind === 'failed' ? { why: result.message } : {}),
    };
    if (verdict.class === '2xx') return this.#delivered(delivery, delivery.last);
    return verdict.retry && delivery.attempts < ATTEMPTS_MAX ? 'again' : this.#failed(delivery);
  }

  /**
   * Undefined: the secret cannot be read, which is no fault of the receiver and not held against its hook. An old one that cannot be (the key was
   * changed) is left out: the hook was rotated so that it signs again.
   */
  #secretsOf(record: DeliveryRecord, hookId: string): string[] | undefined {
    const current = this.#opened(record.secret, hookId, 'a delivery failed: the secret of its hook cannot be read');
    if (current === undefined) return undefined;
    const grace = record.previous_secret !== null && (record.previous_until ?? 0) > this.#ports.store.clock.now();
    const previous = grace
      ? this.#opened(record.previous_secret as string, hookId, 'the old secret of a hook cannot be read: only the new one signs')
      : undefined;
    return previous === undefined ? [current] : [current, previous];
  }

  #opened(sealed: string, hookId: string, otherwise: string): string | undefined {
    try {
      return this.#ports.sealer.open(sealed, hookId);
    } catch (error) {
      this.#warnings.warn('secret', { hookId, error: errorMessage(error) }, otherwise);
      return undefined;
    }
  }

  #post({ wake, messageId }: Delivery, record: DeliveryRecord, secrets: readonly string[]): Promise<OutboundResult> {
    const body = todoReadyBody({
      reason: wake.reason,
      todoId: record.todo_id,
      queue: wake.todo.queue,
      kind: record.kind,
      source: record.source,
      title: record.title,
      endpoint: record.slug,
      attempt: record.attempt,
      createdAt: wake.firedAt,
    });
    return this.#ports.client.send({
      url: record.url,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': `bellhop/${this.#ports.version}`,
        ...signWebhook({ id: messageId, timestampMs: this.#ports.clock.now(), body, secrets }),
      },
      body,
      timeoutMs: POST_TIMEOUT_MS,
      maxAnswerBytes: ANSWER_BYTES,
      signal: this.#abort.signal,
    });
  }

  async #delivered({ hookId }: Delivery, last: { readonly class: AttemptClass; readonly at: number }): Promise<AttemptEnd> {
    await this.#ports.hooks.noteSuccess(hookId, last.class, last.at).catch((error: unknown) => this.#healthUnwritten(hookId, error));
    return 'delivered';
  }

  /** Once per delivery, and only where a POST was made. */
  async #failed({ hookId, last, wake }: Delivery): Promise<AttemptEnd> {
    if (!last) return 'failed';
    const { endpointId } = wake.todo;
    const why = last.why === undefined ? {} : { why: last.why };
    this.#warnings.warn('failed', { hookId, endpointId, outcome: last.class, ...why }, 'a delivery failed');
    if (this.#forgiving) return 'failed';
    try {
      if (await this.#ports.hooks.noteFailure(hookId, last.class, last.at)) {
        this.#counters.hooksDisabled += 1;
        this.#ports.logger.warn({ hookId, endpointId, outcome: last.class }, 'a notify hook was disabled: its deliveries failed in a row');
      }
    } catch (error) {
      this.#healthUnwritten(hookId, error);
    }
    return 'failed';
  }

  #healthUnwritten(hookId: string, error: unknown): void {
    this.#warnings.warn('health', { hookId, error: errorMessage(error) }, 'the health of a notify hook could not be written');
  }

  #askingFor({ todo }: Wake) {
    return { todoId: todo.id, endpointId: todo.endpointId, queue: todo.queue, now: this.#ports.store.clock.now() };
  }

  #dropWake(wake: Wake, cause: DropCause): void {
    this.#counters.dropped[cause] += 1;
    this.#report(wake, 'dropped');
  }

  /** Of a delivery that has begun. */
  #dropDelivery(delivery: Delivery, cause: DropCause): void {
    this.#deliveries.end(delivery);
    this.#endOf(delivery, 'dropped', cause);
  }

  #endOf({ wake }: Delivery, end: WakeOutcomeKind, cause?: DropCause): void {
    if (cause) this.#counters.dropped[cause] += 1;
    this.#counters.deliveries[end] += 1;
    const outcome = wake.end(end);
    if (outcome) this.#report(wake, outcome);
  }

  #report({ todo, reason, wakeId }: Wake, outcome: WakeOutcomeKind): void {
    this.#counters.wakes[outcome] += 1;
    for (const { fn } of [...this.#listeners]) {
      const told = (async () => fn({ todo, reason, outcome, wakeId }))()
        .catch((error: unknown) => {
          this.#ports.logger.warn({ todoId: todo.id, error: errorMessage(error) }, 'a listener of wake outcomes threw');
        })
        .finally(() => this.#listening.delete(told));
      this.#listening.add(told);
    }
  }
}
