// The job store's rules, each taken out of the memory store and of the SQL, of each text where the dialects have their own: the order of a lane, and turns among lanes.
import type { Ablation } from '../ablation.js';
import { inMemory, inSql, jobStoreFiles, POSTGRES, SQLITE } from '../job-store-tests.js';

const SRC = 'packages/service-queue/src';
const MEMORY_LANES = `${SRC}/stores/memory-lanes.ts`;
const ENQUEUE = `${SRC}/sql/enqueue-jobs.ts`;

const ORDER = 'the order of a lane';
const OF_ONE_CALL = '[Q10] goes by priority among the jobs of one call, with idempotency keys and without';
const ONE_BY_ONE = [
  '[Q10] goes by priority among jobs of one due time',
  '[Q10] counts a point of priority as 6 s: so much later is level, and then the id decides',
];
const PATIENT = 'lets no stream of urgent jobs starve a patient one: 100 points are 600 s';
const TURNS = [
  '[Q12] are served in turn, one job each, whatever the backlog, the due times and the priorities',
  '[Q12] share a claim evenly',
  '[Q12] begin with the one after afterLane, and go round',
  'go on from an afterLane that holds nothing any more, or never did',
  'are served in turn within an organization, from an afterLane of another one, too',
  'of groups with a cap take their turn among those without',
  'outnumbering the limit are served over several claims',
];
const AFTER_LANE = [
  '[Q12] begin with the one after afterLane, and go round',
  '[Q12] all have their turn under claims of one job, each after the lane of the one before',
  'go on from an afterLane that holds nothing any more, or never did',
  'are served in turn within an organization, from an afterLane of another one, too',
  'of groups with a cap take their turn among those without',
  'outnumbering the limit are served over several claims',
];

export const ablations: readonly Ablation[] = [
  {
    id: 'Q10:rank',
    why: 'Priority is a head start in the order of a lane; without it the order is that of the due times.',
    file: `${SRC}/job-rank.ts`,
    anchor: 'return dueAt + priority * PRIORITY_POINT_MS;',
    replacement: 'return dueAt + 0 * priority;',
    expectCount: 1,
    tests: jobStoreFiles('order'),
    red: [...inMemory(ORDER, [...ONE_BY_ONE, OF_ONE_CALL, PATIENT]), ...inSql(ORDER, ONE_BY_ONE)],
  },
  {
    id: 'Q10:sqlite',
    why: 'The same where SQL ranks the jobs of one call.',
    file: ENQUEUE,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a template.
    anchor: '(r.value ->> 1) + h.priority * ${PRIORITY_POINT_MS}',
    replacement: '(r.value ->> 1) + 0',
    expectCount: 1,
    tests: jobStoreFiles('order'),
    red: inSql(ORDER, [OF_ONE_CALL], SQLITE),
  },
  {
    id: 'Q10:postgres',
    why: 'The same on Postgres.',
    file: ENQUEUE,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a template.
    anchor: ' + CAST(h.priority AS BIGINT) * ${PRIORITY_POINT_MS}, r.value',
    replacement: ', r.value',
    expectCount: 1,
    tests: jobStoreFiles('order'),
    red: inSql(ORDER, [OF_ONE_CALL], POSTGRES),
  },
  {
    id: 'Q10:order-memory',
    why: 'A lane gives its jobs by rank; by id alone neither priority nor due time counts.',
    file: MEMORY_LANES,
    anchor: 'return left.rankAt - right.rankAt || byBytes(left.id, right.id);',
    replacement: 'return byBytes(left.id, right.id);',
    expectCount: 1,
    tests: jobStoreFiles('order'),
    red: inMemory(ORDER, [
      ...ONE_BY_ONE,
      OF_ONE_CALL,
      PATIENT,
      'goes by due time, then by id',
      'keeps its place in the order when it is reclaimed or released, and takes a new one for a retry',
    ]),
  },
  {
    id: 'Q10:order-sqlite',
    why: 'The same in the SQL of the only lane of a queue.',
    file: `${SRC}/sql/claim-on-sqlite.ts`,
    anchor: 'ORDER BY q.rank_at, q.id LIMIT CAST(:wanted AS INTEGER)',
    replacement: 'ORDER BY q.id LIMIT CAST(:wanted AS INTEGER)',
    expectCount: 1,
    tests: jobStoreFiles('order'),
    red: inSql(ORDER, [...ONE_BY_ONE, OF_ONE_CALL], SQLITE),
  },
  {
    id: 'Q10:order',
    why: 'The same in the SQL of any other lane; Postgres has no other.',
    file: `${SRC}/sql/claim-parts.ts`,
    anchor: 'ORDER BY q.rank_at, q.id LIMIT',
    replacement: 'ORDER BY q.id LIMIT',
    expectCount: 1,
    tests: jobStoreFiles('order'),
    red: inSql(ORDER, [...ONE_BY_ONE, OF_ONE_CALL], POSTGRES),
  },
  {
    id: 'Q12:memory',
    why: 'Lanes give one job each in turn; without turns the first one gives its whole backlog.',
    file: MEMORY_LANES,
    anchor: 'if (!done) jobs.push(value);',
    replacement: 'if (!done) jobs.push(value, ...[...turn].slice(0, limit - jobs.length - 1));',
    expectCount: 1,
    tests: jobStoreFiles('lanes'),
    red: inMemory('lanes', [...TURNS, 'go round in the byte order of their texts, and within each turn a lane gives its next job']),
  },
  {
    id: 'Q12:sqlite',
    why: 'The same in SQL.',
    file: `${SRC}/sql/claim-on-sqlite.ts`,
    anchor: 'ORDER BY place, lap, lane, capped',
    replacement: 'ORDER BY lap, lane, capped, place',
    expectCount: 1,
    tests: jobStoreFiles('lanes'),
    red: inSql('lanes', TURNS, SQLITE),
  },
  {
    id: 'Q12:postgres',
    why: 'The same on Postgres.',
    file: `${SRC}/sql/claim-parts.ts`,
    anchor: 'ORDER BY place, turn',
    replacement: 'ORDER BY turn, place',
    expectCount: 1,
    tests: jobStoreFiles('lanes'),
    red: inSql('lanes', TURNS, POSTGRES),
  },
  {
    id: 'Q12:after-memory',
    why: 'A claim begins after the lane that was served last; else claims of one job are all of the first lane.',
    file: MEMORY_LANES,
    anchor: 'afterLane ?? range.after)',
    replacement: 'afterLane === null ? range.after : range.after)',
    expectCount: 1,
    tests: jobStoreFiles('lanes'),
    red: inMemory('lanes', AFTER_LANE),
  },
  {
    id: 'Q12:after-sql',
    why: 'The same in SQL.',
    file: `${SRC}/stores/claim-arms.ts`,
    anchor: 'if (afterLane === null) return after;',
    replacement: "if (afterLane !== '') return after;",
    expectCount: 1,
    tests: jobStoreFiles('lanes'),
    red: inSql('lanes', AFTER_LANE),
  },
];
