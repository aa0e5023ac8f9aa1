import { ManualClock } from '@bellhop/testing/manual-clock';
import { ClaimPool } from './claim-pool.js';
import { type Deferred, deferred } from './deferred.js';
import type { ClaimOutcome, ClaimPoolOptions } from './pool-options.js';

/** A claim: which work, under which token. */
export interface Ticket {
  readonly id: string;
  readonly token: number;
  readonly lane: string;
}

export function ticket(id: string, { token = 1, lane = 'any' }: { token?: number; lane?: string } = {}): Ticket {
  return { id, token, lane };
}

export function tickets(count: number, options?: { lane?: string }): Ticket[] {
  return Array.from({ length: count }, (_, index) => ticket(`${options?.lane ?? 'job'}-${index}`, options));
}

/** A pool on a manual clock whose runs end when the test says so, and the record of what reached its ports. */
export function poolBench(options: Partial<ClaimPoolOptions<Ticket, string>> = {}) {
  const clock = new ManualClock();
  const runs = new Map<string, Deferred<string>>();
  const record = {
    started: [] as string[],
    aborted: [] as string[],
    acks: [] as string[][],
    renewals: [] as string[][],
    released: [] as string[],
    acked: [] as string[],
    lost: [] as string[],
    errors: [] as [string, string | undefined][],
    freed: 0,
  };
  const pool = new ClaimPool<Ticket, string>({
    clock,
    claimTtlMs: 3_000,
    key: ({ id }) => id,
    lane: ({ lane }) => lane,
    run: (claim, signal) => {
      record.started.push(claim.id);
      const run = deferred<string>();
      runs.set(claim.id, run);
      signal.addEventListener('abort', () => {
        record.aborted.push(claim.id);
        run.resolve('aborted');
      });
      return run.promise;
    },
    ack: async (batch) => {
      record.acks.push(batch.map(({ claim, outcome }) => `${claim.id}:${outcome}`));
      return batch.map((): ClaimOutcome => 'acked');
    },
    renew: async (claims) => {
      record.renewals.push(claims.map(({ id }) => id));
      return claims.map((): ClaimOutcome => 'acked');
    },
    release: async (claims) => void record.released.push(...claims.map(({ id }) => id)),
    onAcked: ({ id }, outcome) => void record.acked.push(`${id}:${outcome}`),
    onLost: ({ id }) => void record.lost.push(id),
    onFree: () => {
      record.freed += 1;
    },
    onError: (error, claim) => void record.errors.push([(error as Error).message, claim?.id]),
    ...options,
  });
  return {
    pool,
    clock,
    record,
    /** Ends runs, in order, and lets what follows settle. */
    finish: async (...ids: string[]) => {
      for (const id of ids) runs.get(id)?.resolve('done');
      await clock.advance(0);
    },
    fail: async (id: string, error: Error) => {
      runs.get(id)?.reject(error);
      await clock.advance(0);
    },
  };
}

/** A port that does each step of a script in turn, then `otherwise`. */
export function scripted<A extends unknown[], T>(otherwise: (...args: A) => Promise<T>, ...steps: ((...args: A) => Promise<T>)[]) {
  return (...args: A) => (steps.shift() ?? otherwise)(...args);
}

export function ids(claims: readonly { readonly id: string }[]): string[] {
  return claims.map(({ id }) => id);
}
