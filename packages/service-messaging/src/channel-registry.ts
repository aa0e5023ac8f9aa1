import { AsyncResource } from 'node:async_hooks';
import type { NotificationChannel, SuppressedChannel } from '@bellhop/contracts';
import { type Clock, errorMessage, InputError, type Logger } from '@bellhop/kernel';
import { checkName } from '@bellhop/store';
import { ANSWER_LIMIT_MS, answerInTime, NO_ANSWER } from './answer-in-time.js';
import type { EmitRoutes } from './prepare-emit.js';

/** Warnings remembered at most: channel names come from callers, who may make up new ones for ever. */
const WARNED_MAX = 1_000;

/**
 * The channels mounted in this process. Each emit asks it once which of its channels are open; a channel that is not there, or says that it
 * is unavailable, gets no row that could only wait and die.
 */
export class ChannelRegistry {
  readonly #channels = new Map<string, NotificationChannel>();
  readonly #logger: Logger;
  readonly #clock: Clock;
  /**
   * Probes run in the asynchronous context this registry was made in, not in that of the emit: a probe that reads the store must not meet the
   * transaction its emit happens to stand in.
   */
  readonly #outside = new AsyncResource('bellhop.channel-probe');
  /** What was warned of already, so that a busy emitter does not fill the log. */
  readonly #warned = new Set<string>();

  constructor({ logger, clock }: { readonly logger: Logger; readonly clock: Clock }) {
    this.#logger = logger;
    this.#clock = clock;
  }

  /** One channel per id: a later one takes the place of the earlier, as a deployment's own `email` does of the built-in. */
  register(channel: NotificationChannel): void {
    const id = checkName(channel?.id, 'channel.id');
    if (typeof channel.send !== 'function') {
      throw new InputError('INVALID_INPUT', `channel.send: the channel "${id}" has no send function.`, { path: 'channel.send' });
    }
    this.#channels.set(id, channel);
    this.#warned.clear();
  }

  unregister(id: string): void {
    this.#channels.delete(id);
  }

  get(id: string): NotificationChannel | undefined {
    return this.#channels.get(id);
  }

  ids(): readonly string[] {
    return [...this.#channels.keys()];
  }

  /** Which of the channels an emit of that organization goes to. Asks each available one once. */
  async route(ids: readonly string[], organizationId: string): Promise<EmitRoutes> {
    const verdicts = await Promise.all(ids.map((id) => this.#suppression(id, organizationId)));
    return { open: ids.filter((_, index) => !verdicts[index]), suppressed: verdicts.filter((verdict) => verdict !== undefined) };
  }

  async #suppression(channel: string, organizationId: string): Promise<SuppressedChannel | undefined> {
    const registered = this.#channels.get(channel);
    if (!registered) {
      this.#warnOnce(`unregistered ${channel}`, { channel }, 'channel is not registered: its deliveries are suppressed');
      return { channel, reason: 'unregistered' };
    }
    // Only a clear no counts: a channel that answers nothing is as available as one that is not asked.
    return (await this.#availability(channel, registered, organizationId)) === false ? { channel, reason: 'unavailable' } : undefined;
  }

  async #availability(channel: string, registered: NotificationChannel, organizationId: string): Promise<unknown> {
    try {
      if (!registered.isAvailable) return true;
      const answer = await answerInTime<unknown>(this.#clock, () =>
        // Async, so that a lazy thenable (a query) is started out there as well.
        this.#outside.runInAsyncScope(async () => registered.isAvailable?.({ organizationId })),
      );
      if (answer === NO_ANSWER) {
        this.#warnOnce(
          `late ${channel}`,
          { channel, limitMs: ANSWER_LIMIT_MS },
          'channel did not say in time whether it is available: taken as available',
        );
      }
      return answer;
    } catch (error) {
      this.#warnOnce(
        `probe ${channel}`,
        { channel, error: errorMessage(error) },
        'channel could not say whether it is available: taken as available',
      );
      return true;
    }
  }

  #warnOnce(key: string, fields: Record<string, unknown>, message: string): void {
    if (this.#warned.has(key)) return;
    const [oldest] = this.#warned;
    if (this.#warned.size >= WARNED_MAX && oldest !== undefined) this.#warned.delete(oldest);
    this.#warned.add(key);
    this.#logger.warn(fields, message);
  }
}
