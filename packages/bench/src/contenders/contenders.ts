import type { TestStoreName } from '@bellhop/testing';
import { bellhopKinds } from './bellhop.js';
import type { Aspect, ContenderKind } from './contender.js';
import { graphileWorkerKinds } from './graphile-worker.js';
import { pgBossKinds } from './pg-boss.js';
import { plainjobKinds } from './plainjob.js';

const PEER_KINDS: readonly ContenderKind[] = [...plainjobKinds, ...graphileWorkerKinds, ...pgBossKinds];

/** What `--peer` takes. `best`: all of the store, and the fastest of them counts. */
export const PEER_CHOICES = [...new Set(PEER_KINDS.map(({ product }) => product)), 'best', 'none'] as const;

/** Those that a run measures in turn. */
export interface Sides {
  readonly ours: readonly ContenderKind[];
  readonly peers: readonly ContenderKind[];
}

/** @throws RangeError for a peer that does not run on the store. */
export function sidesOf(store: TestStoreName, peer: string, aspect: Aspect): Sides {
  const fit = ({ stores, affects }: ContenderKind): boolean => stores.includes(store) && affects.includes(aspect);
  const there = PEER_KINDS.filter(fit);
  const peers = there.filter(({ product }) => peer === 'best' || peer === product);
  if (peers.length === 0 && peer !== 'none') {
    const names = [...new Set(there.map(({ product }) => product))];
    const allowed = names.length === 0 ? ['none'] : [...names, 'best', 'none'];
    throw new RangeError(
      `--peer ${peer} with --store ${store}: allowed there are ${allowed.join(', ')}; plainjob runs on sqlite, the others on postgres.`,
    );
  }
  return { ours: bellhopKinds.filter(fit), peers };
}

/** The kind that a process is told to open. */
export function kindOf(product: string, setting: string): ContenderKind {
  const kind = [...bellhopKinds, ...PEER_KINDS].find((each) => each.product === product && each.setting === setting);
  if (!kind) throw new RangeError(`There is no contender "${product}" with the setting "${setting}".`);
  return kind;
}
