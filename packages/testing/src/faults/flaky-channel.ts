/** A channel whose every send goes as the test says. It keeps what it was asked to send. */
import type { ChannelContext, ChannelDelivery, NotificationChannel, SendErrorClass, SendResult } from '@bellhop/contracts';

/**
 * - `ok`: sent
 * - an error class (`retryable`, `permanent`, `invalid_recipient`, `rate_limited`, `duplicate`): not ok, and classified so
 * - `throw`: `send` rejects; classified as retryable
 * - `hang`: settles only when the context's signal aborts, by rejecting with its reason
 * - a result of its own
 */
export type SendOutcome = 'ok' | 'throw' | 'hang' | SendErrorClass | SendResult;

export interface FlakyChannelOptions {
  /** Default `flaky`. */
  readonly id?: string;
  /** One per send, in order; or decided by delivery and count (1 for the first). When the list is used up: `ok`. */
  readonly outcomes?: readonly SendOutcome[] | ((delivery: ChannelDelivery, send: number) => SendOutcome);
  /** With the outcome `rate_limited`. Milliseconds, default 60 000. */
  readonly retryAfterMs?: number;
}

export interface FlakyChannel extends NotificationChannel {
  /** Every delivery that `send` was called with, in order. */
  readonly attempts: readonly ChannelDelivery[];
  /** Those whose outcome was `ok` or a result that is ok. */
  readonly sent: readonly ChannelDelivery[];
  /** Sends begun and not settled. */
  readonly hanging: number;
  classifyError(error: unknown): SendErrorClass;
}

const ERROR_CLASSES: readonly string[] = [
  'retryable',
  'permanent',
  'invalid_recipient',
  'rate_limited',
  'duplicate',
] satisfies SendErrorClass[];
const TEXT = 'The flaky channel fails: ';

export function flakyChannel({ id = 'flaky', outcomes = [], retryAfterMs = 60_000 }: FlakyChannelOptions = {}): FlakyChannel {
  const attempts: ChannelDelivery[] = [];
  const sent: ChannelDelivery[] = [];
  let hanging = 0;

  const result = (outcome: Exclude<SendOutcome, 'throw' | 'hang'>, delivery: ChannelDelivery): SendResult => {
    if (typeof outcome === 'object') return outcome;
    if (outcome === 'ok') return { ok: true, externalId: `${id}-${delivery.deliveryId}` };
    const error = TEXT + outcome;
    return outcome === 'rate_limited' ? { ok: false, error, retryAfterMs } : { ok: false, error };
  };

  return {
    id,
    attempts,
    sent,
    get hanging() {
      return hanging;
    },
    async send(ctx, delivery) {
      attempts.push(delivery);
      const outcome = typeof outcomes === 'function' ? outcomes(delivery, attempts.length) : (outcomes[attempts.length - 1] ?? 'ok');
      if (outcome === 'throw') throw new Error(`${TEXT}throw`);
      if (outcome === 'hang') {
        hanging += 1;
        return aborted(ctx).finally(() => {
          hanging -= 1;
        });
      }
      const settled = result(outcome, delivery);
      if (settled.ok) sent.push(delivery);
      return settled;
    },
    classifyError(error) {
      const text = error instanceof Error ? error.message : String(error);
      const named = text.startsWith(TEXT) ? text.slice(TEXT.length) : '';
      return ERROR_CLASSES.includes(named) ? (named as SendErrorClass) : 'retryable';
    },
  };
}

function aborted({ signal }: ChannelContext): Promise<never> {
  return new Promise((_resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}
