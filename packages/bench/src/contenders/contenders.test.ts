import { describe, expect, it } from 'vitest';
import { type ContenderKind, nameOf } from './contender.js';
import { kindOf, PEER_CHOICES, sidesOf } from './contenders.js';

const names = (kinds: readonly ContenderKind[]) => kinds.map(nameOf);

describe('the sides of a run', () => {
  it('are ours, and those of the store that the setting makes a difference to', () => {
    const { ours, peers } = sidesOf('sqlite', 'plainjob', 'wait');
    expect(names(ours)).toEqual(['bellhop, defaults']);
    expect(names(peers)).toEqual(['plainjob, defaults', 'plainjob, polls every 10 ms']);
    expect(names(sidesOf('sqlite', 'plainjob', 'publish').peers)).toEqual(['plainjob, defaults']);
    expect(sidesOf('sqlite', 'plainjob', 'drain').ours).toHaveLength(2);
  });

  it('are all of the store for the best, one of several by its name, none for none', () => {
    const best = sidesOf('postgres', 'best', 'drain').peers;
    expect(new Set(best.map(({ product }) => product))).toEqual(new Set(['graphile-worker', 'pg-boss']));
    expect(sidesOf('postgres', 'pg-boss', 'drain').peers).toEqual(best.filter(({ product }) => product === 'pg-boss'));
    expect(sidesOf('postgres', 'none', 'drain').peers).toEqual([]);
  });

  it.each([
    ['postgres', 'plainjob', 'graphile-worker, pg-boss, best, none'],
    ['sqlite', 'pg-boss', 'plainjob, best, none'],
    ['libsql', 'best', 'none'],
  ] as const)('on %s are not those of %s', (store, peer, allowed) => {
    expect(() => sidesOf(store, peer, 'drain')).toThrow(`--peer ${peer} with --store ${store}: allowed there are ${allowed};`);
  });
});

it('a peer is chosen by its name, or as the best, or none', () => {
  expect(PEER_CHOICES).toEqual(['plainjob', 'graphile-worker', 'pg-boss', 'best', 'none']);
});

it('a kind is found by product and setting', () => {
  for (const kind of sidesOf('postgres', 'best', 'drain').peers) expect(kindOf(kind.product, kind.setting)).toBe(kind);
  expect(() => kindOf('pg-boss', 'fast')).toThrow('"pg-boss" with the setting "fast"');
});
