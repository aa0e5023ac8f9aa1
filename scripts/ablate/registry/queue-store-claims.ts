// The job store's rules, each taken out of the memory store and of the SQL, of each text where the dialects have their own: when jobs are promoted, claimed and reclaimed, and that the attempt counts from the claim.
import type { Ablation } from '../ablation.js';
import { inMemory, inSql, jobStoreFiles, onTwoNodes, sqlJobStoreFile } from '../job-store-tests.js';

const SRC = 'packages/service-queue/src';
const MEMORY_STORE = `${SRC}/stores/memory-job-store.ts`;
const RECOVER = `${SRC}/sql/recover-jobs.ts`;
const TWO_NODES = sqlJobStoreFile('two-nodes');

const DUE = [
  '[Q1] makes due jobs pending, at their due time and not before',
  '[Q1] leaves the jobs of later among those that are due',
  'uses the time it was given',
];
const RUNNING = [
  'takes pending jobs: running, under the worker, with a lease and a token',
  '[Q2] leaves running jobs to those who hold them, expired or not',
  '[Q2] leaves finished jobs alone',
  'takes the first ones up to the limit, the rest with the next claim',
  'takes one organization’s jobs when it is asked for them, and everybody’s when not',
  'takes a queue for two organizations and for all in one call, and no job twice',
  'is exclusive: two nodes that claim at once share no job, and together take every job once',
];
/** In SQL a scheduled job lies in the order of its lane already; in memory in no lane. */
const SCHEDULED = 'leaves scheduled jobs alone, due or not, until they are promoted';
const COUNTED = [
  'takes pending jobs: running, under the worker, with a lease and a token',
  '[Q6] counts the attempt when it takes the job',
  'takes a queue for two organizations and for all in one call, and no job twice',
  'is exclusive: two nodes that claim at once share no job, and together take every job once',
];
const EXPIRED = [
  '[Q5] returns an expired lease to pending, at its expiry and not before; the attempt stays counted',
  'goes by the lease of each claim, and leaves live ones',
];
const LAST_ATTEMPT = ['[Q5] at the last attempt makes the job dead of "lease expired" (control: one attempt earlier it returns)'];

export const ablations: readonly Ablation[] = [
  {
    id: 'Q1:memory',
    why: 'A promotion takes what is due; without the predicate jobs of later run at once.',
    file: MEMORY_STORE,
    anchor: 'const rows = this.#upTo(this.#table.due, now, limit);',
    replacement: 'const rows = this.#upTo(this.#table.due, Number.POSITIVE_INFINITY, limit);',
    expectCount: 1,
    tests: jobStoreFiles('promote'),
    red: inMemory('promote', DUE),
  },
  {
    id: 'Q1:sql',
    why: 'The same in SQL.',
    file: RECOVER,
    anchor: "oldest(family, 'scheduled', 'due_at')",
    replacement: "oldest(family, 'scheduled', 'due_at').replace('due_at <= :now', 'true')",
    expectCount: 1,
    tests: jobStoreFiles('promote'),
    red: inSql('promote', DUE),
  },
  {
    id: 'Q2:memory',
    why: 'A claim takes pending jobs only; one that takes what runs gives a job to two workers.',
    file: `${SRC}/stores/memory-job-table.ts`,
    anchor: 'this.expiries.add(row.lockedUntil as number, row.id);',
    replacement: 'this.expiries.add(row.lockedUntil as number, row.id);\n      this.#inLanes(row, (lanes) => lanes.add(waiting(row)));',
    expectCount: 1,
    tests: [...jobStoreFiles('claims'), TWO_NODES],
    red: inMemory('claim', RUNNING),
  },
  {
    id: 'Q2:sql',
    why: 'The same in SQL, where the status is part of the one statement that takes the row.',
    file: `${SRC}/sql/walk-lanes.ts`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a template.
    anchor: "`${job}.status = 'pending' AND ${job}.group_limit IS",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a template.
    replacement: '`${job}.group_limit IS',
    expectCount: 1,
    tests: [...jobStoreFiles('claims'), TWO_NODES],
    red: [
      ...inSql('claim', [...RUNNING, SCHEDULED]),
      ...onTwoNodes('[Q2] give each of 10 000 jobs to one of them, once'),
      ...onTwoNodes('keep a group’s limit exactly, however they claim at once (control: more would have been claimed)'),
    ],
  },
  {
    id: 'Q5:memory',
    why: 'A lease returns when it has expired, not before: a job whose worker lives must not be given to another.',
    file: MEMORY_STORE,
    anchor: 'const rows = this.#upTo(this.#table.expiries, now, limit);',
    replacement: 'const rows = this.#upTo(this.#table.expiries, Number.POSITIVE_INFINITY, limit);',
    expectCount: 1,
    tests: jobStoreFiles('reclaim'),
    red: inMemory('reclaim', EXPIRED),
  },
  {
    id: 'Q5:sql',
    why: 'The same in SQL.',
    file: RECOVER,
    anchor: "oldest(family, 'running', 'locked_until')",
    replacement: "oldest(family, 'running', 'locked_until').replace('locked_until <= :now', 'true')",
    expectCount: 1,
    tests: jobStoreFiles('reclaim'),
    red: inSql('reclaim', EXPIRED),
  },
  {
    id: 'Q5:dead-memory',
    why: 'A job whose worker dies at its last attempt is dead; one that returns kills worker after worker.',
    file: MEMORY_STORE,
    anchor: "row.attempts >= row.maxAttempts ? ended(row, 'dead', now) : unclaimed(row, 'pending', now)",
    replacement: "unclaimed(row, 'pending', now)",
    expectCount: 1,
    tests: jobStoreFiles('reclaim'),
    red: inMemory('reclaim', LAST_ATTEMPT),
  },
  {
    id: 'Q5:dead-sql',
    why: 'The same in SQL.',
    file: RECOVER,
    anchor: "status = CASE WHEN attempts >= max_attempts THEN 'dead' ELSE 'pending' END",
    replacement: "status = 'pending'",
    expectCount: 1,
    tests: jobStoreFiles('reclaim'),
    red: inSql('reclaim', LAST_ATTEMPT),
  },
  {
    id: 'Q6:memory',
    why: 'The attempt counts from the claim; counted at its end, a job that kills its worker is tried for ever.',
    file: `${SRC}/stores/memory-job-row.ts`,
    anchor: "status: 'running', attempts: row.attempts + 1,",
    replacement: "status: 'running',",
    expectCount: 1,
    tests: jobStoreFiles('claims'),
    red: inMemory('claim', COUNTED),
  },
  {
    id: 'Q6:sql',
    why: 'The same in SQL.',
    file: `${SRC}/sql/claim-parts.ts`,
    anchor: "status = 'running', attempts = attempts + 1,",
    replacement: "status = 'running',",
    expectCount: 1,
    tests: jobStoreFiles('claims'),
    red: inSql('claim', COUNTED),
  },
];
