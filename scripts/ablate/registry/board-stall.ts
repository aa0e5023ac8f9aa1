// The rules of the stall nudge, each taken out where the sweep's read, its charge and the pure `pace` have it in common, or where the charge alone has it.
import type { Ablation } from '../ablation.js';

const STALL = 'packages/switchboard-stall/src';
const CONDITIONS = `${STALL}/sql/pair-conditions.ts`;
const NUDGE = [`${STALL}/stall-nudge.integration.test.ts`];

const STORES = ['sqlite', 'libsql', 'libsql-remote', 'postgres'] as const;

const ONCE = 'scenario 1: a stalled queue is woken once';
const NOBODY = 'scenario 2: nobody to wake, nothing spent';
const PACING = 'scenario 3: backoff, cap and progress';
const DRAIN = 'scenario 4: drain and concurrency';

/** Tests of a scenario, on each store. */
function onEach(scenario: string, ...titles: readonly string[]): string[] {
  return STORES.flatMap((store) => titles.map((title) => `the stall nudge on ${store} > ${scenario} > ${title}`));
}

const WARNS_ONCE = 'G12: warns once of a pair that has used its last, counts it, and again after it was reset';
const HELD_SINCE = '[N9] G2: a claim made since the last nudge brings none while its lease is live, until 5 min are over';

const GIVER_HOLDS = 'G3: nudges a consumer that holds for long what it then gives back no more often than each 5 min';
const BACK_AGAIN = 'G12: does not count one as exhausted whose consumer is back, though it owes no nudge yet';

export const ablations: readonly Ablation[] = [
  {
    id: 'N1',
    why: 'A todo is as old as it is pending: by its creation one that was just given back would be told of twice within a second.',
    file: CONDITIONS,
    anchor: "const SINCE = 'pending_since';",
    replacement: "const SINCE = 'created_at';",
    expectCount: 1,
    tests: NUDGE,
    red: onEach(
      ONCE,
      '[N1] G1: counts from when a todo became pending, not from when it was made',
      'names the one that is pending longest, then by id, and passes over a queue whose name holds a colon no less',
    ).concat(onEach(PACING, BACK_AGAIN)),
  },
  {
    id: 'N2',
    why: 'The charge asks the row under its lock whether its turn has come: of two processes that found a pair due one charges it.',
    file: `${STALL}/sql/charge-pairs.ts`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a template.
    anchor: 'WHERE ${rules.due}',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a template.
    replacement: 'WHERE ${rules.due} OR true',
    expectCount: 1,
    tests: NUDGE,
    red: onEach(DRAIN, '[N2] two sweeps that both read before either charges make one charge'),
  },
  {
    id: 'N3',
    why: 'Without progress nobody is nudged a sixth time: each nudge costs its receiver a run.',
    file: `${STALL}/pace.ts`,
    anchor: 'export const MAX_NUDGES = 5;',
    replacement: 'export const MAX_NUDGES = 1_000;',
    expectCount: 1,
    tests: NUDGE,
    red: onEach(PACING, '[N3] never a sixth time without progress', WARNS_ONCE, GIVER_HOLDS, BACK_AGAIN),
  },
  {
    id: 'N4',
    why: 'A claim since the last nudge is progress: without the rule a deep queue drains at steps of six hours.',
    file: CONDITIONS,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a template.
    anchor: "${notGivenBack('a')}\n    ORDER BY",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a template.
    replacement: "${notGivenBack('a')} AND 1 = 0\n    ORDER BY",
    expectCount: 1,
    tests: NUDGE,
    red: onEach(
      PACING,
      '[N4] a claim that ended since makes it due at the next tick, and counts from 1, also where all were used',
      'one nudge for one claim: the next sweep finds no other',
      'G3: a claim that was merely given back is no progress; one that a crash ended is',
      'G9: reads progress from the attempts, also of a claim begun up to 5 s before the nudge',
      HELD_SINCE,
      BACK_AGAIN,
    ),
  },
  {
    id: 'G6',
    why: 'Places go to those that have been due longest: by the age of their todos pairs whose wakes nobody takes would keep them all.',
    file: `${STALL}/stall-sweep.ts`,
    anchor: 'dueSince: paced.nextDueAt as number',
    replacement: 'dueSince: row.oldest as number',
    expectCount: 1,
    tests: NUDGE,
    red: onEach('bounds', 'G6: one that is due comes before those that are due again, however old their todos and however many'),
  },
  {
    id: 'N5',
    why: 'The todo that a wake names passes the gate: the path with the looser gate is the one that is attacked.',
    file: 'packages/switchboard/src/gate.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a template.
    anchor: '`${todo}.gate = 1 AND',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a template.
    replacement: '`${todo}.gate >= 0 AND',
    expectCount: 1,
    tests: NUDGE,
    red: [
      ...onEach(
        NOBODY,
        'G11: todos that pass no gate wake nobody, whatever became of their event',
        '[N5] an older todo without a verdict beside a younger one with it: that one is named, and its age counts',
      ),
      ...onEach(DRAIN, 'a row whose todos all fail the gate grows quiet, too'),
    ],
  },
  {
    id: 'N6',
    why: 'Nothing is spent where no hook covers the queue: a wake into an empty room takes what its consumer needs when it is back.',
    file: 'packages/switchboard/src/sql/wake-sql.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a template.
    anchor: "${hookCovers('h', queue)} LIMIT 1)",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a template.
    replacement: "${hookCovers('h', queue)} UNION ALL SELECT 1 LIMIT 1)",
    expectCount: 1,
    tests: NUDGE,
    red: onEach(
      NOBODY,
      '[N6] G5: no hook',
      '[N6] G5: a disabled hook',
      '[N6] G5: a hook for another queue',
      '[N6] G5: the hook of another endpoint',
    ),
  },
  {
    id: 'N6:endpoint',
    why: 'The same of an endpoint that takes no work, and of a queue that left its scope.',
    file: 'packages/switchboard/src/sql/wake-sql.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a template.
    anchor: '${endpointLive(endpoint, now)} AND ${inScope(endpoint, queue)} AND (',
    replacement: '1 = 1 AND (',
    expectCount: 1,
    tests: NUDGE,
    red: onEach(NOBODY, '[N6] G5: a revoked endpoint', '[N6] G5: an endpoint that has just expired', '[N6] G5: a queue outside the scope'),
  },
  {
    id: 'N7',
    why: 'A pair that stays empty is forgotten: its next backlog begins at the short wait.',
    file: `${STALL}/sql/keep-ledger.ts`,
    anchor: 'const over = `l.quiet_since <=',
    replacement: 'const over = `1 = 0 AND l.quiet_since <=',
    expectCount: 1,
    tests: NUDGE,
    red: [
      ...onEach(DRAIN, '[N7] a pair that stays empty for 10 min is forgotten, and its next backlog begins anew'),
      // The one store of the tests that does not cascade: there the row of an endpoint that is gone is forgotten as any other.
      'the stall nudge on libsql-remote > bounds > a row of the ledger goes with its endpoint',
    ],
  },
  {
    id: 'N8',
    why: 'A wake is fired after the commit of what paid for it: else a charge that fails has woken somebody, and is made again.',
    file: `${STALL}/stall-sweep.ts`,
    anchor: 'const charged = chosen.length > 0 ? await this.#charge.run(chosen, now) : [];',
    replacement:
      "for (const { endpointId, queue } of chosen) this.#wakes.fireReady({ id: '', organizationId: '', endpointId, queue }, 'stalled');\n    const charged = chosen.length > 0 ? await this.#charge.run(chosen, now) : [];",
    expectCount: 1,
    tests: [`${STALL}/nudge-fire.integration.test.ts`],
    red: STORES.map(
      (store) => `the wake of a nudge on ${store} > [N8] fires once the charge can be seen by anybody, and not at all where it fails`,
    ),
  },
  {
    id: 'N9',
    why: 'A consumer that holds a lease is left alone: nobody is started beside one that works one todo at a time.',
    file: CONDITIONS,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a template.
    anchor: "WHERE ${isOf('a', pair)} AND a.ended_at IS NULL AND a.lease_until > ${NOW}`",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a template.
    replacement: "WHERE ${isOf('a', pair)} AND a.ended_at IS NULL AND a.lease_until > ${NOW} AND 1 = 0`",
    expectCount: 1,
    tests: NUDGE,
    red: onEach(
      PACING,
      '[N9] G2: leaves a consumer alone for 5 min after its newest claim while its lease is live, before the first nudge too',
      HELD_SINCE,
      GIVER_HOLDS,
      'the control: a lease that has lapsed holds up nothing',
    ),
  },
  {
    id: 'N10',
    why: 'A hook that was opened since the last nudge makes the pair due, and counts from one: somebody may be behind that door again.',
    file: CONDITIONS,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a template.
    anchor: "${wakeSql(family).hookCovers('k', pair.queue)}`",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a template.
    replacement: "${wakeSql(family).hookCovers('k', pair.queue)} AND 1 = 0`",
    expectCount: 1,
    tests: NUDGE,
    red: onEach(PACING, WARNS_ONCE, '[N10] G4: a hook that covers the queue and was opened since makes it due, and counts from 1'),
  },
];
