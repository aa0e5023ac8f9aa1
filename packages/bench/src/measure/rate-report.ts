import { type ContenderKind, nameOf } from '../contenders/contender.js';
import type { Sides } from '../contenders/contenders.js';
import { peerVersion } from '../contenders/load-peer.js';
import { median, rounded } from './statistics.js';

/** What one contender did in one round. */
export interface RateFigure {
  readonly perSecond: number;
  readonly durability: Readonly<Record<string, string>>;
}

/** One contender over all rounds. */
export interface SideReport {
  readonly product: string;
  readonly version: string;
  readonly setting: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly durability: Readonly<Record<string, string>>;
  /** Median of the rounds. */
  readonly perSecond: number;
  readonly rounds: readonly number[];
  /** Ours ÷ this one, per second. Absent on our own. */
  readonly ratio?: number;
}

export interface RateReport {
  /** Our fastest setting. */
  readonly perSecond: number;
  /** Ours ÷ the fastest of the peers, per second. Absent without peers. */
  readonly ratio?: number;
  /** Which one that is. */
  readonly peer?: string;
  readonly sides: readonly SideReport[];
}

export function rateReport({ ours, peers }: Sides, figures: ReadonlyMap<ContenderKind, readonly RateFigure[]>): RateReport {
  const rateOf = (kind: ContenderKind): number => median((figures.get(kind) ?? []).map(({ perSecond }) => perSecond));
  const best = Math.max(...ours.map(rateOf));
  const report = (kind: ContenderKind): SideReport => ({
    product: kind.product,
    version: kind.product === 'bellhop' ? 'this checkout' : peerVersion(kind.product),
    setting: kind.setting,
    settings: kind.shown,
    durability: figures.get(kind)?.[0]?.durability ?? {},
    perSecond: rounded(rateOf(kind)),
    rounds: (figures.get(kind) ?? []).map(({ perSecond }) => rounded(perSecond)),
    ...(ours.includes(kind) ? {} : { ratio: rounded(best / rateOf(kind)) }),
  });
  const fastest = peers.toSorted((a, b) => rateOf(b) - rateOf(a))[0];
  return {
    perSecond: rounded(best),
    ...(fastest ? { ratio: rounded(best / rateOf(fastest)), peer: nameOf(fastest) } : {}),
    sides: [...ours, ...peers].map(report),
  };
}
