// The four ablations of the change that this project grew from, over legs as that change had them: the survey hidden, no wake spacing, nobody
// else's signals. What pins the same rules elsewhere (on memory, over five stores, in the service) carries rule names of its own, in `messaging.ts`.
import type { Ablation } from '../ablation.js';

const MESSAGING = 'packages/service-messaging/src';
const DISPATCHER = `${MESSAGING}/dispatcher/notification-dispatcher.ts`;

/** A real SQL outbox on SQLite, 8 partitions: count, rows after an idle stretch, recovery, the TTL's floor, an outbox without reap. */
const REAP_LEGS = `${MESSAGING}/dispatcher/dispatcher.reap.integration.test.ts`;
const ON_SQLITE = 'a dispatcher on SQLite, without a survey';

/** A manual clock: nine legs on when a tick comes. */
const BACKOFF_LEGS = `${MESSAGING}/dispatcher/dispatcher.idle-backoff.test.ts`;
const TICKS = 'when the dispatcher ticks';

/** A real kernel, plugin and database. */
const PLUGIN_LEG = `${MESSAGING}/plugin-enqueue-wakes-dispatcher.integration.test.ts`;

export const ablations: readonly Ablation[] = [
  {
    id: 'A1',
    why: 'A tick reaps once; without that every claim reaps for itself, two for each partition.',
    file: DISPATCHER,
    anchor: 'this.reapsApart = outbox.reap !== undefined;',
    replacement: 'this.reapsApart = false;',
    expectCount: 1,
    tests: [REAP_LEGS],
    red: [`${ON_SQLITE} > [A1] costs exactly 10 reaps and at most 10 × (1 + 2 × 8) statements in 10 idle ticks`],
  },
  {
    id: 'A2',
    why: 'An emit that enqueued calls onEnqueued, which wakes the dispatcher.',
    file: `${MESSAGING}/messaging-service.ts`,
    anchor: '    this.#announce(calls, written, trx);\n',
    replacement: '',
    expectCount: 1,
    tests: [BACKOFF_LEGS, PLUGIN_LEG],
    red: [
      `${TICKS} > [A2] an emit wakes a wired dispatcher; one that enqueues nothing does not`,
      '[A2] an emit wakes the plugin’s dispatcher, while a row written straight into the table stays pending (the control)',
    ],
  },
  {
    id: 'A3',
    why: 'Ticks that find nothing double the delay, up to the ceiling; without that it is always intervalMs.',
    file: 'packages/loop/src/delay.ts',
    anchor: 'intervalMs * 2 ** idleLevel',
    replacement: 'intervalMs * 2 ** Math.min(idleLevel, 0)',
    expectCount: 1,
    tests: [BACKOFF_LEGS],
    red: [
      `${TICKS} > [A3] idle gaps double from the interval to the ceiling: 1, 2, 4, 8, 16, 30, 30 s, 24 ticks in ten minutes`,
      `${TICKS} > [A3] the ceiling is 30 s by default`,
    ],
    green: [
      {
        name: `${TICKS} > [A3] a row nobody announced waits at most one backed-off interval, then the dispatcher is back to 500 ms`,
        why: 'An upper bound: a fixed loop of 500 ms meets it too.',
      },
    ],
  },
  {
    id: 'A4',
    why: 'Only claims whose tick reaped skip their reap; an outbox without reap, told to skip, would never recover a claim.',
    file: DISPATCHER,
    anchor: 'skipReap: this.reapsApart,',
    replacement: 'skipReap: true,',
    expectCount: 1,
    tests: [REAP_LEGS],
    red: [`${ON_SQLITE} > [A4] keeps working over an outbox without reap: each claim reaps for itself`],
  },
];
