import type { AckResult, ClaimedDelivery, NotificationChannel, SendErrorClass } from '@bellhop/contracts';
import { type Clock, errorMessage, type Logger, type Random } from '@bellhop/kernel';
import { stripText } from '@bellhop/store';
import { answerInTime } from '../answer-in-time.js';
import { channelDelivery } from '../channel-delivery.js';
import { type ReadSendResult, readSendResult } from '../send-result.js';
import type { AttemptOutcome, DeliveryUnit } from './delivery-unit.js';
import { renderDigest } from './digest.js';
import { settleFailure } from './retry-ladder.js';

const ERROR_CLASSES: readonly unknown[] = [
  'retryable',
  'permanent',
  'invalid_recipient',
  'rate_limited',
  'duplicate',
] satisfies SendErrorClass[];

export interface AttemptPorts {
  readonly channel: (id: string) => NotificationChannel | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Milliseconds a send may take. */
  readonly sendTimeoutMs: number;
}

/** A send that did not end in time: it was aborted, and its slot is needed. */
class SendTimeout extends Error {}

/**
 * Makes one attempt at a unit and says what it comes to. Never throws: whatever goes wrong, in the payload, in `send` or in
 * `classifyError`, is this unit's failed attempt and nobody else's.
 */
export async function attemptDelivery(unit: DeliveryUnit, ports: AttemptPorts, signal: AbortSignal): Promise<AttemptOutcome> {
  const startedAt = ports.clock.monotonic();
  const result = await attempt(unit, ports, signal);
  return { result, durationMs: ports.clock.monotonic() - startedAt };
}

async function attempt(unit: DeliveryUnit, ports: AttemptPorts, signal: AbortSignal): Promise<AckResult> {
  const channel = ports.channel(unit.channel);
  if (!channel) {
    return { success: false, dead: true, error: `The channel "${unit.channel}" is not registered any more: register it and emit again.` };
  }
  let failure: unknown;
  let retryAfterMs: number | undefined;
  try {
    const sent = await send(unit, channel, ports, signal);
    if (sent.ok) return { success: true, ...(sent.externalId === undefined ? {} : { externalId: sent.externalId }) };
    failure = sent.error ?? 'The channel reported a failure without a reason.';
    retryAfterMs = sent.retryAfterMs;
  } catch (error) {
    failure = error;
  }
  return settleFailure(
    {
      // An aborted send failed because of us: what the channel makes of the abort (a permanent error, say) means nothing.
      errorClass: signal.aborted || timedOut(failure) ? 'retryable' : await errorClassOf(channel, failure, ports.clock),
      error: stripText(errorMessage(failure)),
      attempts: Math.max(...unit.rows.map(({ attempts }) => attempts)),
      retryAfterMs,
    },
    { now: ports.clock.now(), draw: ports.random() },
  );
}

async function send(unit: DeliveryUnit, channel: NotificationChannel, ports: AttemptPorts, signal: AbortSignal): Promise<ReadSendResult> {
  const delivery = unit.digest ? renderDigest(unit.rows) : channelDelivery(unit.rows[0] as ClaimedDelivery);
  const sent: unknown = await inTime(unit, ports, signal, (either) =>
    channel.send(
      {
        logger: ports.logger.child({ channel: unit.channel }),
        clock: ports.clock,
        signal: either,
        idempotencyKey: delivery.deliveryId,
      },
      delivery,
    ),
  );
  return readSendResult(unit.channel, sent);
}

/** A channel that hangs would keep its slot for ever, since held claims are renewed; and one that ignores its signal would outlive the abort. */
async function inTime<T>(
  unit: DeliveryUnit,
  { clock, sendTimeoutMs }: AttemptPorts,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timeout = new AbortController();
  const expired = new Promise<never>((_resolve, reject) => {
    timeout.signal.addEventListener('abort', () => reject(timeout.signal.reason));
  });
  const timer = clock.setTimeout(
    () => timeout.abort(new SendTimeout(`The channel "${unit.channel}" did not finish within ${sendTimeoutMs} ms.`)),
    sendTimeoutMs,
  );
  try {
    return await Promise.race([work(AbortSignal.any([signal, timeout.signal])), expired]);
  } finally {
    timer.cancel();
  }
}

/** What is thrown need not be an error: to ask some values what they are an instance of throws. */
function timedOut(failure: unknown): boolean {
  try {
    return failure instanceof SendTimeout;
  } catch {
    return false;
  }
}

/** Unknown, and unable to say, is worth another attempt. An asynchronous classifier is waited for, though its type promises none. */
async function errorClassOf(channel: NotificationChannel, failure: unknown, clock: Clock): Promise<SendErrorClass> {
  try {
    const errorClass = await answerInTime(clock, () => channel.classifyError?.(failure));
    return ERROR_CLASSES.includes(errorClass) ? (errorClass as SendErrorClass) : 'retryable';
  } catch {
    return 'retryable';
  }
}
