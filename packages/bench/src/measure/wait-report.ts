import { type ContenderKind, nameOf } from '../contenders/contender.js';
import type { Sides } from '../contenders/contenders.js';
import { peerVersion } from '../contenders/load-peer.js';
import { percentile, rounded } from './statistics.js';

export interface Waits {
  /** Jobs measured: fewer where a side that polls took its time. */
  readonly samples: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** One contender, the waits of all rounds together. */
export interface WaitSide extends Waits {
  readonly product: string;
  readonly version: string;
  readonly setting: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface WaitReport extends Waits {
  /** The peer with the shortest p50, and ours ÷ it, time ÷ time: less than 1 is shorter. Absent without peers. */
  readonly peer?: string;
  readonly p50Ratio?: number;
  readonly p99Ratio?: number;
  readonly sides: readonly WaitSide[];
}

/** Of ours, the setting with the shortest p50 is at the top. */
export function waitReport({ ours, peers }: Sides, rounds: ReadonlyMap<ContenderKind, readonly (readonly number[])[]>): WaitReport {
  const waitsOf = (kind: ContenderKind): Waits => {
    const waits = (rounds.get(kind) ?? []).flat();
    return { samples: waits.length, p50Ms: rounded(percentile(waits, 50)), p99Ms: rounded(percentile(waits, 99)) };
  };
  const shortest = (kinds: readonly ContenderKind[]): ContenderKind | undefined =>
    kinds.toSorted((a, b) => waitsOf(a).p50Ms - waitsOf(b).p50Ms)[0];
  const best = waitsOf(shortest(ours) as ContenderKind);
  const peer = shortest(peers);
  const against = peer ? waitsOf(peer) : undefined;
  return {
    ...best,
    ...(peer && against
      ? { peer: nameOf(peer), p50Ratio: rounded(best.p50Ms / against.p50Ms), p99Ratio: rounded(best.p99Ms / against.p99Ms) }
      : {}),
    sides: [...ours, ...peers].map((kind) => ({
      product: kind.product,
      version: kind.product === 'bellhop' ? 'this checkout' : peerVersion(kind.product),
      setting: kind.setting,
      settings: kind.shown,
      ...waitsOf(kind),
    })),
  };
}
