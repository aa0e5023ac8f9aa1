/**
 * Sends one HTTP request to a target that the guard admits. Must never dial an address that was not just checked, follow a redirect, use a
 * proxy, or reuse a connection: each call has a dispatcher of its own, so nothing that an earlier check allowed lives on.
 */
import { type Clock, errorMessage, InputError } from '@bellhop/kernel';
import { Client } from 'undici';
import { readAnswer } from './answer-body.js';
import { type FailureCause, failureCause } from './outbound-failure.js';
import type { OutboundGuard } from './outbound-guard.js';
import { pinnedDial } from './pinned-dial.js';

export interface OutboundRequest {
  readonly url: string;
  readonly method: 'POST';
  /** Sent as given, but for those that frame the message (`Host`, `Content-Length`, `Connection`, …): a request with one is refused. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** For the lookup, the dial, the headers and the body together. 1 to 2 147 483 647. */
  readonly timeoutMs: number;
  /** Bytes of the answer's body that are read; then it is cut. 0 to 16 777 216, default 16 384. */
  readonly maxAnswerBytes?: number | undefined;
  /** Ends the call with the cause `aborted`. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * How a call ended. `answered` is any answer, whatever its status. A `failed` call may have reached its target all the same, unless its cause
 * is `refused`, `dns` or `tls`.
 */
export type OutboundResult =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** Names in lower case; the values of one that came several times are joined by `, `. */
      readonly headers: Readonly<Record<string, string>>;
      readonly text: string;
      /** True when the body was longer than `maxAnswerBytes`. */
      readonly cut: boolean;
      readonly durationMs: number;
    }
  | { readonly kind: 'failed'; readonly cause: FailureCause; readonly message: string; readonly durationMs: number };

export interface OutboundClientOptions {
  readonly guard: OutboundGuard;
  readonly clock: Clock;
  /** Certificates in PEM to trust instead of the machine's, for a private authority or a test. */
  readonly ca?: string | readonly string[] | undefined;
}

const DEFAULT_ANSWER_BYTES = 16_384;
const MAX_ANSWER_BYTES = 16_777_216;
const MAX_TIMEOUT_MS = 2_147_483_647;
const LONGEST_MESSAGE = 300;

/** These say where the message goes and where it ends; one from a caller could contradict what the client does. */
const FRAMING_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'proxy-connection',
  'keep-alive',
  'upgrade',
  'expect',
  'te',
  'trailer',
]);

type Outcome = { [K in OutboundResult['kind']]: Omit<Extract<OutboundResult, { kind: K }>, 'durationMs'> }[OutboundResult['kind']];

export class OutboundClient {
  private readonly guard: OutboundGuard;
  private readonly clock: Clock;
  private readonly ca: string | readonly string[] | undefined;
  private readonly underWay = new Map<Promise<unknown>, Ending>();
  private closed = false;

  constructor({ guard, clock, ca }: OutboundClientOptions) {
    this.guard = guard;
    this.clock = clock;
    this.ca = ca;
  }

  /**
   * Never rejects for what the target or the network does: that is a `failed` result.
   *
   * @throws InputError `INVALID_INPUT` for a `timeoutMs` or `maxAnswerBytes` out of its bounds.
   */
  async send(request: OutboundRequest): Promise<OutboundResult> {
    checkWholeBetween('timeoutMs', request.timeoutMs, 1, MAX_TIMEOUT_MS);
    checkWholeBetween('maxAnswerBytes', request.maxAnswerBytes ?? DEFAULT_ANSWER_BYTES, 0, MAX_ANSWER_BYTES);
    const startedAt = this.clock.monotonic();
    const ending = new Ending();
    const timer = this.clock.setTimeout(() => ending.end('timeout', `No full answer within ${request.timeoutMs} ms.`), request.timeoutMs);
    const abort = () => ending.end('aborted', 'The caller ended the call.');
    request.signal?.addEventListener('abort', abort, { once: true });
    if (request.signal?.aborted) abort();
    if (this.closed) ending.end('aborted', 'The client is closed.');

    const work = this.attempt(request, ending);
    this.underWay.set(work, ending);
    try {
      const outcome = await work;
      return { ...outcome, durationMs: Math.max(0, Math.round(this.clock.monotonic() - startedAt)) };
    } finally {
      timer.cancel();
      request.signal?.removeEventListener('abort', abort);
      this.underWay.delete(work);
    }
  }

  /** Ends the calls under way, with the cause `aborted`, and refuses later ones the same way. */
  async close(): Promise<void> {
    this.closed = true;
    const ended = [...this.underWay].map(([work, ending]) => {
      ending.end('aborted', 'The client was closed.');
      return work;
    });
    await Promise.allSettled(ended);
  }

  private async attempt(request: OutboundRequest, ending: Ending): Promise<Outcome> {
    try {
      return await ending.orSooner(this.exchange(request, ending.signal));
    } catch (error) {
      return ending.outcome ?? failed(failureCause(error), errorMessage(error));
    }
  }

  private async exchange(request: OutboundRequest, signal: AbortSignal): Promise<Outcome> {
    signal.throwIfAborted();
    const framing = Object.keys(request.headers).find((name) => FRAMING_HEADERS.has(name.toLowerCase()));
    if (framing !== undefined) return failed('refused', `The header ${framing} frames the message and cannot be set.`);
    const target = await this.guard.check(request.url, signal);
    signal.throwIfAborted();
    // All times are the caller's own, on the clock: undici's are off.
    const client = new Client(target.url.origin, {
      connect: pinnedDial(target, { ca: this.ca, signal }),
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    try {
      const answer = await client.request({
        path: `${target.url.pathname}${target.url.search}`,
        method: request.method,
        headers: { ...request.headers },
        body: request.body,
        reset: true,
        signal,
        highWaterMark: DEFAULT_ANSWER_BYTES,
      });
      const body = await readAnswer(answer.body, request.maxAnswerBytes ?? DEFAULT_ANSWER_BYTES);
      return { kind: 'answered', status: answer.statusCode, headers: joined(answer.headers), ...body };
    } finally {
      // Not waited for: what became of the connection changes nothing about the outcome.
      client.destroy().catch(() => {});
    }
  }
}

/** The one early end of a call: the first reason counts, and everything of the call that is still going on is told. */
class Ending {
  private readonly controller = new AbortController();
  readonly signal = this.controller.signal;
  outcome: Outcome | undefined;

  end(cause: FailureCause, message: string): void {
    this.outcome ??= failed(cause, message);
    this.controller.abort();
  }

  /** What `work` gives, or a rejection as soon as the call is ended, also where what it waits for does not stop at once. */
  orSooner<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const stop = () => reject(this.signal.reason);
      if (this.signal.aborted) stop();
      else this.signal.addEventListener('abort', stop, { once: true });
      work.then(resolve, reject);
    });
  }
}

function failed(cause: FailureCause, message: string): Outcome {
  return { kind: 'failed', cause, message: message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE)}…` : message };
}

function joined(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const pairs = Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')] as const);
  return Object.fromEntries(pairs);
}

function checkWholeBetween(path: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new InputError('INVALID_INPUT', `${path}: ${String(value)} was given; a whole number from ${least} to ${most} is allowed.`, {
    path,
  });
}
