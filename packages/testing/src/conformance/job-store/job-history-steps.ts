import fc from 'fast-check';

// What a random history is made of. Few names and few times, so that steps meet.

export const QUEUES = ['mail', 'sms'] as const;
export const ORGANIZATIONS = ['acme', 'umbrella'] as const;
/** Groups with their caps: one of a group is one of them all. */
export const GROUPS = { free: null, pair: 2, one: 1 } as const;

// Mostly of one lane, so that lanes have several jobs and claims take more than one turn.
const queue = fc.constantFrom<(typeof QUEUES)[number]>('mail', 'mail', 'mail', 'sms');
const organization = fc.constantFrom<(typeof ORGANIZATIONS)[number]>('acme', 'acme', 'umbrella');
const group = fc.constantFrom<keyof typeof GROUPS | null>(null, null, 'pair', 'pair', 'one', 'free');
const anyOrganization = fc.constantFrom(null, null, null, ...ORGANIZATIONS);
const second = fc.boolean();
const pick = fc.nat();
const delayMs = fc.constantFrom(0, 0, 0, 500, 7_000);

const job = fc.record({
  queue,
  organization,
  group,
  key: fc.constantFrom(null, null, null, null, null, null, 'k1', 'k2'),
  windowMs: fc.constantFrom(1, 6_000),
  priority: fc.constantFrom(0, 1, 2),
  maxAttempts: fc.constantFrom(1, 2, 3),
  delayMs,
});

const claimOf = fc.record({
  limit: fc.constantFrom(1, 2, 3, 4, 5, 7),
  organization: anyOrganization,
  leaseMs: fc.constantFrom(500, 5_000),
  /** Goes on after the lane served last, instead of from the first. */
  goesOn: fc.boolean(),
});

export const historyStep = fc.oneof(
  {
    weight: 14,
    arbitrary: fc.record({
      op: fc.constant('enqueue' as const),
      second,
      jobs: fc.array(job, { minLength: 1, maxLength: 12, size: 'max' }),
    }),
  },
  {
    weight: 14,
    arbitrary: fc.record({
      op: fc.constant('claim' as const),
      second,
      mail: fc.option(claimOf, { freq: 6 }),
      sms: fc.option(claimOf, { freq: 2 }),
    }),
  },
  {
    weight: 14,
    arbitrary: fc.record({
      op: fc.constant('ack' as const),
      second,
      pick,
      outcome: fc.constantFrom('completed', 'completed', 'retry', 'retry', 'snooze', 'dead'),
      delayMs,
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('renew' as const), pick }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('release' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('progress' as const), pick, percent: fc.integer({ min: 0, max: 100 }) }) },
  { weight: 5, arbitrary: fc.record({ op: fc.constant('promote' as const), limit: fc.constantFrom(1, 100, 100) }) },
  { weight: 4, arbitrary: fc.record({ op: fc.constant('reclaim' as const) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('cancel' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('reschedule' as const), pick, delayMs }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('replay' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('replayAll' as const), queue, organization: anyOrganization }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('purge' as const), queue, organization: anyOrganization }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('purgeFailed' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('sweep' as const), asks: fc.boolean(), agoMs: fc.constantFrom(0, 5_000) }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('pause' as const), queue, paused: fc.constantFrom(true, false, false) }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('survey' as const), second, mail: anyOrganization, sms: anyOrganization }) },
  { weight: 5, arbitrary: fc.record({ op: fc.constant('advance' as const), ms: fc.constantFrom(1, 500, 2_000, 6_000) }) },
);
export type HistoryStep = typeof historyStep extends fc.Arbitrary<infer Value> ? Value : never;
