import type { Store } from '@bellhop/contracts';

export interface PairSeed {
  readonly pairs: number;
  /** Of each pair. */
  readonly todos: number;
  /** Epoch milliseconds. */
  readonly pendingSince: number;
  readonly nudgedAt: number;
}

/** Queues of one endpoint. */
const QUEUES = 10;
/** Todos of one statement: none takes as long as a store lets a statement take. */
const ROWS = 50_000;

/** Endpoints with a hook each, queues with pending todos that pass the gate, and a ledger row for each pair: straight into the tables. */
export async function seedPairs(store: Store, { pairs, todos, pendingSince, nudgedAt }: PairSeed): Promise<void> {
  const endpoints = Math.ceil(pairs / QUEUES);
  const queues = JSON.stringify(Array.from({ length: QUEUES }, (_, queue) => `q${queue}`));
  const id = (number: string) => `'ep_' || ${number}`;
  await run(
    store,
    `INSERT INTO board_endpoint (id, organization_id, slug, credential_hash, credential_prefix, queues, verbs, state, created_at)
     SELECT ${id('n')}, 'org', 'slug-' || n, 'hash-' || n, 'sbk_', '${queues}', '[]', 'active', 0 FROM ${series(store, 'e', endpoints)}`,
  );
  await run(
    store,
    `INSERT INTO board_notify_hook (id, organization_id, endpoint_id, url, secret, queues, enabled, failures, opened_at, created_at)
     SELECT 'nh_' || n, 'org', ${id('n')}, '', '', '[]', 1, 0, 0, 0 FROM ${series(store, 'e', endpoints)}`,
  );
  const some = Math.max(1, Math.floor(ROWS / todos));
  for (let first = 0; first < pairs; first += some) {
    await run(
      store,
      `INSERT INTO board_todo (id, organization_id, endpoint_id, queue, state, gate, moved_by, source, title, attempt, max_attempts,
         attempts_total, ring_attempts, created_at, pending_since, updated_at, payload)
       SELECT 'td_' || p.n || '_' || t.n, 'org', ${id(`(p.n / ${QUEUES})`)}, 'q' || (p.n % ${QUEUES}), 'pending', 1, '', 'operator', 'a todo', 0, 5,
         0, 0, ${pendingSince}, ${pendingSince}, ${pendingSince}, '{}'
       FROM ${series(store, 'p', Math.min(first + some, pairs), first)} CROSS JOIN ${series(store, 't', todos)}`,
    );
  }
  await run(
    store,
    `INSERT INTO queue_stall_nudges (endpoint_id, queue, nudges, last_nudged_at)
     SELECT ${id(`(n / ${QUEUES})`)}, 'q' || (n % ${QUEUES}), 1, ${nudgedAt} FROM ${series(store, 'p', pairs)}`,
  );
  await run(store, 'ANALYZE');
}

/** The numbers from `first` to below `end`, as `n`. */
function series({ family }: Store, alias: string, end: number, first = 0): string {
  return family === 'postgres'
    ? `generate_series(${first}, ${end - 1}) AS ${alias}(n)`
    : `(WITH RECURSIVE s(n) AS (SELECT ${first} UNION ALL SELECT n + 1 FROM s WHERE n < ${end - 1}) SELECT n FROM s) AS ${alias}`;
}

async function run(store: Store, sql: string): Promise<void> {
  await store.knex.raw(sql);
}
