// The hot statements of switchboard-stall, the pairs that they must find, and why its others are none.
import type { SqlParams, Statement, Store } from '../../../packages/contracts/src/index.js';
import { type RowColumns, seedRows } from '../../../packages/service-messaging/src/sql/seeded-rows.fixture.js';
import { wakeSql } from '../../../packages/switchboard/src/sql/wake-sql.js';
import { stallMigrations } from '../../../packages/switchboard-stall/src/migrations/stall-migrations.js';
import { chargePairs } from '../../../packages/switchboard-stall/src/sql/charge-pairs.js';
import { awake, forget, markQuiet } from '../../../packages/switchboard-stall/src/sql/keep-ledger.js';
import { readPairs } from '../../../packages/switchboard-stall/src/sql/read-pairs.js';
import { settleNudges } from '../../../packages/switchboard-stall/src/sql/settle-nudges.js';
import {
  attemptWorlds,
  BATCH,
  endpoints,
  hooks,
  LIVE_LEASES,
  NOW,
  namesOf,
  OF_MANY_ENDPOINTS,
  OTHER_QUEUE,
  OUT_OF_SCOPE,
  todos,
  todoWorlds,
} from './board-worlds.js';
import type { HotStatement, OwnLimit, PluginStatements, World } from './hot-statement.js';

const SQL = 'packages/switchboard-stall/src/sql';
/** Pairs that are stalled and were never nudged. */
const STALLED = 8;

const ledger = (store: Store, endpoint: string, count: number, columns: RowColumns = {}) =>
  seedRows(store, 'queue_stall_nudges', count, {
    endpoint_id: endpoint,
    queue: `'work'`,
    nudges: '1',
    last_nudged_at: '1000 + i',
    ...columns,
  });

async function wanted(store: Store): Promise<void> {
  // So many rows that Postgres, too, looks them up.
  for (const [prefix, count] of [
    ['stalled', STALLED],
    ['sent', BATCH],
    ['quiet', BATCH],
    ['awake', BATCH],
    ['over', BATCH],
  ] as const)
    await endpoints(store, prefix, count);
  await hooks(store, 'ofstalled', STALLED, { endpoint_id: `'stalled' || i` });
  await todos(store, 'stalled', STALLED, { endpoint_id: `'stalled' || i` });
  await todos(store, 'awake', BATCH, { endpoint_id: `'awake' || i` });
  await ledger(store, `'sent' || i`, BATCH);
  await ledger(store, `'quiet' || i`, BATCH, { last_outcome: `'delivered'` });
  await ledger(store, `'awake' || i`, BATCH, { quiet_since: `${NOW - 1_000}` });
  await ledger(store, `'over' || i`, BATCH, { quiet_since: '1' });
  // Of these nobody can be told: a server would not give their rows, the others would.
  await ledger(store, `'ep0'`, 1);
  await ledger(store, `'ep0'`, 1, { queue: `'quarantine'` });
  await ledger(store, `'gone0'`, 1);
}

/** What the sweep reads besides the mass: the pair of the board's worlds, and the rows above. */
const PAIRS = 1 + STALLED + 4 * BATCH + 2;

const stalledMass = async (store: Store, scale: number) => {
  await endpoints(store, 'mass', scale);
  await hooks(store, 'mass', scale, { endpoint_id: `'mass' || i` });
  await todos(store, 'mass', scale, { endpoint_id: `'mass' || i` });
};
const NEW_PAIRS = 'pairs that are stalled';
const KNOWN_PAIRS = 'pairs that were nudged';
const EMPTY_PAIRS = 'pairs that were nudged and are empty';
const pairWorlds: readonly World[] = [
  { name: NEW_PAIRS, table: 'queue_stall_nudges', seed: stalledMass },
  {
    name: KNOWN_PAIRS,
    table: 'queue_stall_nudges',
    async seed(store, scale) {
      await stalledMass(store, scale);
      await ledger(store, `'mass' || i`, scale, { last_outcome: `'delivered'` });
    },
  },
  {
    name: EMPTY_PAIRS,
    table: 'queue_stall_nudges',
    async seed(store, scale) {
      await endpoints(store, 'mass', scale);
      await ledger(store, `'mass' || i`, scale, { quiet_since: `${NOW - 1_000}` });
    },
  },
];

/** Where the mass is todos and attempts of one pair. */
const ONE_PAIR = namesOf(todoWorlds, attemptWorlds).filter((name) => ![OTHER_QUEUE, OUT_OF_SCOPE, OF_MANY_ENDPOINTS].includes(name));
const ALL = [...ONE_PAIR, ...namesOf(pairWorlds)];

/** The leases of a pair are looked through. */
const READS_LEASES: OwnLimit = {
  reason:
    'the newest claim among the live leases of a pair is looked for, one index entry after the other: there are as many as consumers at work',
  worlds: [LIVE_LEASES],
  rows: ({ returned, scale }) => 40 * returned + 100 + 3 * scale,
  pages: ({ returned, scale }) => 60 * returned + 100 + 3 * scale,
  growth: 120,
};

/** Eleven facts of each pair, each by a seek. */
const FACTS_OF_PAIRS: OwnLimit = {
  reason: 'it gives a row for each pair there is, of which each fact is a seek or two: how many todos a pair has does not matter',
  rows: ({ returned }) => 40 * returned + 100,
  pages: ({ returned }) => 60 * returned + 100,
};

const json = (value: unknown) => JSON.stringify(value);
const pairs = (endpoint: string, count: number) =>
  json(Array.from({ length: count }, (_, i) => ({ endpoint_id: `${endpoint}${i}`, queue: 'work' })));

/** Four seeks for a pair. */
const SEEKS_OF_A_PAIR: OwnLimit = {
  reason:
    'a pair is asked for its row, its oldest todo and its open claim before its row is written: a seek each, of four pages in a large index',
  pages: ({ returned }) => 20 * returned + 100,
};

function entry(title: string, definition: string, statement: Statement, params: SqlParams, returns: number): HotStatement {
  return { definition: `${SQL}/${definition}`, title: `stall: ${title}`, statement, params, returns, worlds: ALL, own: SEEKS_OF_A_PAIR };
}

const read = (title: string, rest: Pick<HotStatement, 'returns' | 'worlds' | 'own'>): HotStatement => ({
  definition: `${SQL}/read-pairs.ts#readPairs`,
  title: `stall: ${title}`,
  statement: readPairs(wakeSql),
  params: { now: NOW },
  ...rest,
});

export const stall: PluginStatements = {
  file: 'scripts/gates/statement-plans/stall.ts',
  migrations: [stallMigrations],
  wanted,
  worlds: pairWorlds,
  hot: [
    read('read of pairs, one of them full', {
      returns: PAIRS,
      worlds: ONE_PAIR.filter((name) => name !== LIVE_LEASES),
      own: FACTS_OF_PAIRS,
    }),
    read('read of pairs, one of them at work', { returns: PAIRS, worlds: [LIVE_LEASES], own: READS_LEASES }),
    read('read of pairs, many', {
      returns: (scale) => PAIRS + scale,
      worlds: namesOf(pairWorlds),
      own: { ...FACTS_OF_PAIRS, growth: 120 },
    }),
    entry('charge', 'charge-pairs.ts#chargePairs', chargePairs(wakeSql), { now: NOW, pairs: pairs('stalled', STALLED) }, STALLED),
    entry('mark quiet', 'keep-ledger.ts#markQuiet', markQuiet(wakeSql), { now: NOW, pairs: pairs('quiet', BATCH) }, BATCH),
    entry('awake', 'keep-ledger.ts#awake', awake(wakeSql), { pairs: pairs('awake', BATCH) }, BATCH),
    entry('forget', 'keep-ledger.ts#forget', forget(wakeSql), { now: NOW, pairs: pairs('over', BATCH) }, BATCH),
    entry(
      'settle nudges',
      'settle-nudges.ts#settleNudges',
      settleNudges,
      {
        nudges: json(
          Array.from({ length: BATCH }, (_, i) => ({
            endpoint_id: `sent${i}`,
            queue: 'work',
            last_nudged_at: 1000 + i,
            outcome: 'delivered',
            taken_back: 0,
          })),
        ),
      },
      BATCH,
    ),
  ],
  cold: [
    { definition: `${SQL}/explain-pair.ts#explainPair`, reason: 'run for somebody who asks about one pair' },
    {
      definition: `${SQL}/count-exhausted.ts#countExhausted`,
      reason: 'run for metrics, which a scraper asks for, over a row for each pair that was nudged',
    },
  ],
};
