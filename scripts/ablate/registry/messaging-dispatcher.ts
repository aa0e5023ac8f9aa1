// The dispatcher's rules: S1, S2, S4, S6, the faults B2 and B12, a delivery that ends its node, a send that hangs.
import type { Ablation } from '../ablation.js';
import { onStores } from '../on-stores.js';

const SRC = 'packages/service-messaging/src';
const DISPATCHER = `${SRC}/dispatcher/notification-dispatcher.ts`;
const ATTEMPT = `${SRC}/dispatcher/delivery-attempt.ts`;
const OWED = 'packages/loop/src/owed.ts';

const testFile = (topic: string) => `${SRC}/dispatcher/dispatcher.${topic}.test.ts`;
const TICK = testFile('tick');
const LOOP = testFile('loop');
const PLUGIN = `${SRC}/messaging-plugin.integration.test.ts`;

const WITH_SURVEY = 'a tick with survey';
const LATER = 'work that is due later';
const S2_SURVEYED = `${LATER} > [S2] a row that another process deferred leaves at its due time, because the survey named it`;
const S6_ANNOUNCED = `${LATER} > [S6] a row deferred after the last survey leaves at its due time, because it was announced`;
const DIGEST_IN_A_STREAM = `${LATER} > a digest leaves with its due time even in the middle of a stream of wakes`;

export const ablations: readonly Ablation[] = [
  {
    id: 'S1',
    why: 'A tick reaps when its survey saw an expired claim, and only then; inverted, it writes while idle and recovers nothing.',
    file: DISPATCHER,
    anchor: 'const recovered = survey.expired && (',
    replacement: 'const recovered = !survey.expired && (',
    expectCount: 1,
    tests: [TICK],
    red: [
      `${WITH_SURVEY} > [S1] an expired claim is reaped and its row delivered in the same tick; without one nothing is reaped`,
      `${WITH_SURVEY} > [S1] a running dispatcher wakes for the expiry of a claim it has seen`,
      ...[1, 8, 64].map((count) => `${WITH_SURVEY} > an idle tick is one survey at ${count} partitions`),
      `${WITH_SURVEY} > due rows of all partitions are claimed in one statement and acked in one`,
      `${WITH_SURVEY} > a digest is claimed only when the survey saw one`,
      `${WITH_SURVEY} > a stream of wakes does not put the survey off for longer than a claim TTL`,
      'a tick without survey, and without reap > [legacy-outbox] an outbox with survey and without reap recovers expired claims, too',
    ],
  },
  {
    id: 'S2',
    why: 'The next due time caps the delay; without the cap what is due later waits for the idle interval.',
    file: OWED,
    anchor: 'return Math.min(Math.min(this.intervalAt, wakeAt, this.retryAt) - now.monotonic, this.dueAt - now.wall);',
    replacement: 'return Math.min(this.intervalAt, wakeAt, this.retryAt) - now.monotonic;',
    expectCount: 1,
    tests: [LOOP],
    red: [
      `${LATER} > [S2] a 10 s retry leaves within 50 ms of its due time with no other traffic`,
      S2_SURVEYED,
      S6_ANNOUNCED,
      DIGEST_IN_A_STREAM,
    ],
  },
  {
    id: 'S2:survey',
    why: 'The survey tells the loop of the next due time, also of rows that nobody here announced.',
    file: DISPATCHER,
    anchor: 'nextDueAt: Number.isFinite(nextDueAt) ? nextDueAt : null,',
    replacement: '',
    expectCount: 1,
    tests: [LOOP],
    red: [S2_SURVEYED],
  },
  {
    id: 'S4',
    why: 'A wake that a failing tick took stays owed: it is retried soon, not with the idle backoff.',
    file: OWED,
    anchor: '} else if (work) {',
    replacement: '} else if (work && !failed) {',
    expectCount: 1,
    tests: [LOOP],
    red: [`${LATER} > [S4] a wake owed to a failing tick is made good within 5 s of the recovery (control: without one, an idle interval)`],
  },
  {
    id: 'S6',
    why: 'due(at) lowers the armed timer: a row deferred after the last survey leaves at its due time.',
    file: DISPATCHER,
    anchor: 'due(at: number): void {\n    this.loop.due(at);',
    replacement: 'due(at: number): void {\n    void at;',
    expectCount: 1,
    tests: [LOOP, PLUGIN],
    red: [
      S6_ANNOUNCED,
      DIGEST_IN_A_STREAM,
      ...onStores((store) => [`messagingPlugin on ${store} > [S6] sends what is due later at its due time, with no other traffic`]),
    ],
  },
  {
    id: 'B2',
    why: 'All rows of a failed digest get one outcome; with a due time each they would be retried as several messages.',
    file: `${SRC}/dispatcher/delivery-unit.ts`,
    anchor: 'map((row) => ({ unit: claim, claim: row, result: outcome.result })),',
    replacement: `map((row, index) => {
      const { result } = outcome;
      const later = !result.success && result.nextAttemptAt !== undefined;
      return { unit: claim, claim: row, result: later ? { ...result, nextAttemptAt: result.nextAttemptAt + 100 * index } : result };
    }),`,
    expectCount: 1,
    tests: [testFile('digest')],
    red: ['digests > [B2] a failed digest is retried as one message: every row is acked with the one outcome'],
  },
  {
    id: 'B12',
    why: 'A classifyError that throws is a retryable failure of its own row.',
    file: ATTEMPT,
    anchor: "  } catch {\n    return 'retryable';\n  }",
    replacement: '  } catch (error) {\n    throw error;\n  }',
    expectCount: 1,
    tests: [testFile('failures')],
    red: ['failing sends > [B12] a classifyError that throws counts as retryable, and touches no other row or partition'],
  },
  {
    id: 'quarantine',
    why: 'Rows that come back from an expired claim a second time are claimed alone, so that the one that ends its node takes no other along.',
    file: `${SRC}/dispatcher/quarantine.ts`,
    anchor: 'const SUSPECT_ATTEMPTS = 3;',
    replacement: 'const SUSPECT_ATTEMPTS = 100;',
    expectCount: 1,
    tests: [testFile('quarantine')],
    red: ['[quarantine] a delivery that ends its node > goes dead after its own six attempts and takes no other row along'],
    green: [
      {
        name: '[quarantine] a delivery that ends its node > control: where nothing can be handed back, it does take others along',
        why: 'The control: it shows what happens without the rule, on an outbox where the rule cannot apply.',
      },
    ],
  },
  {
    id: 'send-timeout',
    why: 'A send that hangs is given up after sendTimeoutMs.',
    file: ATTEMPT,
    anchor: '() => timeout.abort(',
    replacement: '() => void (',
    expectCount: 1,
    tests: [testFile('send-timeout')],
    red: [
      ...['heeds', 'ignores'].map(
        (does) =>
          `a send that hangs > [send-timeout] is a failed attempt after sendTimeoutMs, and not before; its slot goes to the next row, whether the channel ${does} its signal`,
      ),
      'a send that hangs > is not asked of the channel’s classifyError: it failed because of us',
    ],
  },
];
