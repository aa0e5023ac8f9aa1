// The rows that the queue's statements must find, and the masses that they must pass by. What is wanted stands before the mass in each order,
// except where lying behind it is the adversity.
import type { Store } from '../../../packages/contracts/src/index.js';
import { lane, type SeededColumns, seedJobs } from '../../../packages/service-queue/src/sql/seeded-jobs.fixture.js';
import type { World } from './hot-statement.js';

export const NOW = 1_000_000;

/** The size of everything that is wanted, where nothing else is said. */
export const BATCH = 32;

export const HELD: SeededColumns = { status: `'running'`, claimed_by: `'w'`, claim_token: `'t'` };

export async function wantedJobs(store: Store): Promise<void> {
  await seedJobs(store, 'solo', 64, { queue: `'solo'` });
  await seedJobs(store, 'mail', 160, { lane: lane('o1', `'g' || (i % 5)`) });
  // Four groups of sixteen, each with room for three.
  await seedJobs(store, 'capped', 64, { queue: `'capped'`, lane: lane('o1', `'g' || (i % 4)`), group_limit: '4' });
  await seedJobs(store, 'room', 4, {
    ...HELD,
    queue: `'capped'`,
    lane: lane('o1', `'g' || i`),
    group_limit: '4',
    locked_until: `${NOW + 90_000}`,
  });
  await seedJobs(store, 'due', BATCH, { status: `'scheduled'` });
  await seedJobs(store, 'later', BATCH, { status: `'scheduled'`, due_at: `${NOW + 50} + i` });
  await seedJobs(store, 'held', 64, { ...HELD, locked_until: `${NOW + 60_000} + i` });
  await seedJobs(store, 'expired', BATCH, { ...HELD, locked_until: '1000 + i' });
  await seedJobs(store, 'done', BATCH, { status: `'completed'`, finished_at: '1 + i' });
  await seedJobs(store, 'cancelled', BATCH, { status: `'cancelled'`, finished_at: '1 + i' });
  await seedJobs(store, 'dead', 128, { status: `'dead'`, finished_at: '1 + i' });
  await seedJobs(store, 'key', BATCH, {
    status: `'completed'`,
    finished_at: `${NOW - 10}`,
    idempotency_token: `'k' || i`,
    idempotency_until: '1 + i',
  });
}

/** A world of jobs: in the queue and the organization of most of what is wanted, and behind it, unless `columns` say otherwise. */
function jobs(name: string, columns: SeededColumns, also?: (store: Store, scale: number) => Promise<void>): World {
  return {
    name,
    table: 'queue_job',
    async seed(store, scale) {
      await seedJobs(store, 'mass', scale, { due_at: `${NOW - 500_000} + i`, rank_at: `${NOW + 100_000} + i`, ...columns });
      await also?.(store, scale);
    },
  };
}

export const CAPPED_MANY = 'limited groups, many';
export const CAPPED_FULL = 'limited groups at their limits';
export const CAPPED_BUSY = 'a limited group, of which much runs';
export const DEAD = 'dead';
export const DEAD_ELSEWHERE = 'dead in another queue';

/** Groups at their limits among so many jobs: ten jobs each. */
export const fullGroups = (scale: number) => scale / 1_000;

const capped = { queue: `'capped'` };

export const jobWorlds: readonly World[] = [
  jobs('urgent, due later', { priority: '1', rank_at: '6000 + i', status: `'scheduled'`, due_at: `${NOW + 100_000} + i` }),
  jobs('due', { status: `'scheduled'` }),
  jobs('due at one time', { status: `'scheduled'`, due_at: `${NOW - 1}` }),
  jobs('pending in a lane of a queue', { lane: lane('o1', `'g0'`) }),
  jobs('pending in the only lane of a queue', { queue: `'solo'` }),
  jobs('pending in the lane before', { lane: lane('o0') }),
  jobs('pending at one time', { lane: lane('o1', `'g0'`), rank_at: `${NOW}` }),
  jobs('a lane for each job', { lane: lane('o2', 'i'), organization_id: `'o2'` }),
  jobs('pending in other queues', { queue: `'q' || (i % 100)` }),
  jobs('a limited group, deep', { ...capped, lane: lane('o1', `'g0'`), group_limit: '4' }),
  jobs(CAPPED_MANY, { ...capped, lane: lane('o1', `'h' || i`), group_limit: '4' }),
  jobs(CAPPED_FULL, { ...capped, lane: lane('o0', '(i / 1000)'), group_limit: '1' }, (store, scale) =>
    seedJobs(store, 'full', fullGroups(scale), {
      ...HELD,
      ...capped,
      lane: lane('o0', 'i'),
      group_limit: '1',
      locked_until: `${NOW + 90_000}`,
    }),
  ),
  jobs(CAPPED_BUSY, { ...HELD, ...capped, lane: lane('o1', `'g0'`), group_limit: '4', locked_until: `${NOW + 90_000} + i` }),
  jobs('running', { ...HELD, locked_until: `${NOW + 5_000} + i` }),
  jobs('expired', { ...HELD, locked_until: `${NOW - 5_000} + i % 1000` }),
  jobs('completed', { status: `'completed'`, finished_at: `${NOW - 100_000} + i` }),
  jobs('completed at one time', { status: `'completed'`, finished_at: `${NOW}` }),
  jobs('completed, their keys held', {
    status: `'completed'`,
    finished_at: '2',
    idempotency_token: `'m' || i`,
    idempotency_until: `${NOW + 1} + i`,
  }),
  jobs('cancelled', { status: `'cancelled'`, finished_at: `${NOW - 100_000} + i` }),
  jobs(DEAD, { status: `'dead'`, finished_at: `${NOW - 500_000} + i` }),
  jobs(DEAD_ELSEWHERE, { status: `'dead'`, finished_at: `${NOW - 500_000} + i`, queue: `'q'` }),
  jobs('dead of others', { status: `'dead'`, finished_at: `${NOW - 500_000} + i`, organization_id: `'o' || (2 + i % 50)` }),
];

/** All worlds but these. */
export const without = (...names: readonly string[]) => jobWorlds.map(({ name }) => name).filter((name) => !names.includes(name));
