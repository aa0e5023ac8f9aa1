// The job store's rules, each taken out of the memory store and of the SQL, of each text where the dialects have their own: whose an outcome is, and whose an idempotency key.
import type { Ablation } from '../ablation.js';
import { inMemory, inSql, jobStoreFiles, onTwoNodes, sqlJobStoreFile } from '../job-store-tests.js';

const SRC = 'packages/service-queue/src';
const MEMORY_STORE = `${SRC}/stores/memory-job-store.ts`;
const SETTLE = `${SRC}/sql/settle-jobs.ts`;
const ENQUEUE = `${SRC}/sql/enqueue-jobs.ts`;
const TWO_NODES = sqlJobStoreFile('two-nodes');

const NOT_HELD = 'a claim that is no longer held';
const OTHER_TOKEN = [
  '[Q3] changes nothing: the job was reclaimed and claimed by another worker',
  '[Q3] changes nothing: the same worker claimed the job again',
  '[Q3] changes nothing: the same worker failed it and claimed it again within one instant',
  '[Q3] changes nothing: it was released and claimed again by the same worker',
];
const KEY = 'an idempotency key';
const WINDOW_OVER = [
  'of a completed job holds within its window, counted from the publish, and not after it',
  'of a job that completes after its window is free at once',
  '[Q9] of a completed job past its window, given by two nodes at once, makes one job',
];
const KEY_HELD = [
  ...WINDOW_OVER,
  'of a scheduled job holds: a repeat gives its id and stores nothing',
  'of a pending job holds',
  'of a running job holds, its lease expired or not',
  'of a job that waits for its retry holds, and of one that was reclaimed',
  'of a live job holds past its window',
  'of a dead job stays free, or with whoever took it, when the job is replayed',
  'is one of an organization and a queue: elsewhere it is another',
  'given twice in one call makes one job: the first',
  '[Q9] given by two nodes at once makes one job, and both get its id',
  'given by two nodes in batches that cross makes one job of each key',
];

export const ablations: readonly Ablation[] = [
  {
    id: 'Q3:memory',
    why: 'An outcome is written for the claim with the token; without it a late worker ends the job of another.',
    file: MEMORY_STORE,
    anchor: "row?.status !== 'running' || row.claimToken !== claim.claimToken",
    replacement: "row?.status !== 'running'",
    expectCount: 1,
    tests: jobStoreFiles('tokens'),
    red: inMemory(NOT_HELD, OTHER_TOKEN),
  },
  {
    id: 'Q3:complete',
    why: 'The same in the SQL of the most frequent outcome.',
    file: SETTLE,
    anchor: "AND claim_token = :token AND status = 'running' RETURNING id",
    replacement: "AND status = 'running' RETURNING id",
    expectCount: 1,
    tests: jobStoreFiles('tokens'),
    red: inSql(NOT_HELD, OTHER_TOKEN),
  },
  {
    id: 'Q3:held',
    why: 'The same in the SQL of the other outcomes, of renewals and of releases.',
    file: SETTLE,
    anchor: "j.id = c.id AND j.claim_token = c.token AND j.status || ''",
    replacement: "j.id = c.id AND j.status || ''",
    expectCount: 1,
    tests: jobStoreFiles('tokens'),
    red: inSql(NOT_HELD, OTHER_TOKEN),
  },
  {
    id: 'Q3:progress',
    why: 'The same in the SQL of progress.',
    file: SETTLE,
    anchor: "WHERE id = :id AND claim_token = :token AND status = 'running'`",
    replacement: "WHERE id = :id AND status = 'running'`",
    expectCount: 1,
    tests: jobStoreFiles('tokens'),
    red: inSql(NOT_HELD, OTHER_TOKEN),
  },
  {
    id: 'Q9:memory',
    why: 'A key that is held answers with the job that holds it.',
    file: MEMORY_STORE,
    anchor: 'if (holder) return { id: holder.id, deduped: true };',
    replacement: 'if (holder?.id === job.id) return { id: holder.id, deduped: true };',
    expectCount: 1,
    tests: [...jobStoreFiles('keys'), TWO_NODES],
    red: inMemory(KEY, KEY_HELD),
  },
  {
    id: 'Q9:sql',
    why: 'The same in SQL: the branch that a unique conflict takes. Without it whoever publishes second gets an error.',
    file: ENQUEUE,
    anchor: "insertInto('ON CONFLICT (organization_id, queue, idempotency_token) WHERE idempotency_token IS NOT NULL DO NOTHING')",
    replacement: "insertInto('')",
    expectCount: 1,
    tests: [...jobStoreFiles('keys'), TWO_NODES],
    red: [...inSql(KEY, KEY_HELD), ...onTwoNodes('[Q9] make one job of one key, however many publish it at once; the others get its id')],
  },
  {
    id: 'Q9:window',
    why: 'A key is free when the window of its completed job is over, also when nobody has swept it.',
    file: `${SRC}/stores/sql-job-enqueuer.ts`,
    anchor: '{ statement: freeKeys, params: { now, keys: keysText }, scope },',
    replacement: '',
    expectCount: 1,
    tests: [...jobStoreFiles('keys'), TWO_NODES],
    red: inSql(KEY, WINDOW_OVER),
  },
];
