/**
 * The lookups of one guard: checks that ask for the same host at the same time share one. Must never keep an answer: where a name leads is asked
 * anew for every check that begins after the lookup ended. Lookups of different hosts never wait for each other.
 */
import { type Clock, errorMessage } from '@bellhop/kernel';
import { LookupFailure } from './outbound-errors.js';

export interface FoundAddress {
  readonly address: string;
  readonly family: number;
}

/** All addresses of a host name. `signal` is aborted when nobody waits for them any more; what was opened for the lookup is then let go. */
export type AddressLookup = (host: string, signal: AbortSignal) => Promise<readonly FoundAddress[]>;

interface UnderWay {
  readonly found: Promise<readonly FoundAddress[]>;
  readonly stop: AbortController;
  waiting: number;
}

const LOOKUP_LIMIT_MS = 10_000;

export class SharedLookups {
  private readonly underWay = new Map<string, UnderWay>();

  constructor(
    private readonly lookup: AddressLookup,
    private readonly clock: Clock,
  ) {}

  /**
   * @param signal ends the wait; the lookup goes on while others wait for it.
   * @throws LookupFailure when it fails or takes longer than 10 s; the signal's reason when that is aborted.
   */
  async of(host: string, signal: AbortSignal | undefined): Promise<readonly FoundAddress[]> {
    signal?.throwIfAborted();
    const lookup = this.underWay.get(host) ?? this.begin(host);
    lookup.waiting += 1;
    try {
      return await unlessAborted(lookup.found, signal);
    } finally {
      lookup.waiting -= 1;
      if (lookup.waiting === 0) {
        this.forget(host, lookup);
        lookup.stop.abort();
      }
    }
  }

  private begin(host: string): UnderWay {
    const stop = new AbortController();
    const lookup: UnderWay = { found: this.limited(host, stop.signal), stop, waiting: 0 };
    this.underWay.set(host, lookup);
    const forget = () => this.forget(host, lookup);
    lookup.found.then(forget, forget);
    return lookup;
  }

  private forget(host: string, lookup: UnderWay): void {
    if (this.underWay.get(host) === lookup) this.underWay.delete(host);
  }

  private limited(host: string, signal: AbortSignal): Promise<readonly FoundAddress[]> {
    return new Promise((resolve, reject) => {
      const timer = this.clock.setTimeout(
        () => reject(new LookupFailure(`${host} could not be looked up within ${LOOKUP_LIMIT_MS / 1_000} s.`)),
        LOOKUP_LIMIT_MS,
      );
      signal.addEventListener('abort', () => timer.cancel(), { once: true });
      // In a promise of its own, so that a lookup which throws at once counts as one that failed.
      new Promise<readonly FoundAddress[]>((done) => done(this.lookup(host, signal)))
        .then(resolve, (cause: unknown) => reject(new LookupFailure(`${host} could not be looked up: ${errorMessage(cause)}.`, { cause })))
        .finally(() => timer.cancel());
    });
  }
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
