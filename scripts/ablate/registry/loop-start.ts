// How a loop starts, how its ticks follow each other, and the public tick among them.
import type { Ablation } from '../ablation.js';

const LOOP = 'packages/loop/src/dispatch-loop.ts';
const SYSTEM_CLOCK = 'packages/kernel/src/system-clock.ts';

const TESTS = ['packages/loop/src/dispatch-loop.start.test.ts'];

export const ablations: readonly Ablation[] = [
  {
    id: 'L1',
    why: '`start()` ticks at once.',
    file: LOOP,
    anchor: 'this.owed.reset({ start: true });',
    replacement: 'this.owed.reset({ start: false });',
    expectCount: 1,
    tests: TESTS,
    red: [
      'start and the public tick > [L1] a tick that lasts longer than the delay is followed at once',
      'start and the public tick > [L1] never two ticks at once, the public tick included; callers that wait share one',
      'start and the public tick > [L1] start ticks at once, and a second start changes nothing',
      'start and the public tick > [L1] the delay is measured from the start of a tick, so a slow one does not shift the next',
    ],
  },
  {
    id: 'L1:twice',
    why: 'A second `start()` changes nothing on a loop that runs.',
    file: LOOP,
    anchor: '    if (this.running) return;\n    this.running = true;',
    replacement: '    this.running = true;',
    expectCount: 1,
    tests: TESTS,
    red: ['start and the public tick > [L1] start ticks at once, and a second start changes nothing'],
  },
  {
    id: 'L1:from-start',
    why: 'The delay is measured from the start of a tick, not from its end.',
    file: LOOP,
    anchor: 'this.owed.settle(taken, result, errors.length > 0)',
    replacement: 'this.owed.settle({ ...taken, at: this.instant() }, result, errors.length > 0)',
    expectCount: 1,
    tests: TESTS,
    red: [
      'start and the public tick > [L1] a tick that lasts longer than the delay is followed at once',
      'start and the public tick > [L1] the delay is measured from the start of a tick, so a slow one does not shift the next',
    ],
  },
  {
    id: 'L1:one-at-a-time',
    why: 'The public tick waits for the running one: never two at once.',
    file: LOOP,
    anchor: 'if (!this.ticking) void this.run();',
    replacement: 'void this.run();',
    expectCount: 1,
    tests: TESTS,
    red: ['start and the public tick > [L1] never two ticks at once, the public tick included; callers that wait share one'],
  },
  {
    id: 'L1:shared',
    why: 'Callers that wait for the public tick share one.',
    file: LOOP,
    anchor: 'this.manual ??= deferred<TickResult>();\n    const { promise } = this.manual;',
    replacement: 'this.manual = deferred<TickResult>();\n    const { promise } = this.manual;',
    expectCount: 1,
    tests: TESTS,
    red: ['start and the public tick > [L1] never two ticks at once, the public tick included; callers that wait share one'],
  },
  {
    id: 'L1:no-timer',
    why: 'After the public tick, a loop that does not run arms nothing.',
    file: LOOP,
    anchor: 'if (!this.running || !this.isQuiet()) return;',
    replacement: 'if (!this.isQuiet()) return;',
    expectCount: 1,
    tests: TESTS,
    red: ['start and the public tick > [L1] the public tick works on a loop that does not run, and leaves no timer behind'],
  },
  {
    id: 'L1:about-to-start',
    why: 'The public tick takes the place of one that is about to start.',
    file: LOOP,
    anchor: 'private async run(): Promise<void> {\n    this.disarm();',
    replacement: 'private async run(): Promise<void> {\n    this.timer?.cancel();\n    this.timer = null;\n    this.launch = null;',
    expectCount: 1,
    tests: TESTS,
    red: ['start and the public tick > [L1] the public tick answers for a tick that is about to start'],
  },
  {
    id: 'L1:rejects',
    why: 'The public tick rejects with what its tick threw.',
    file: LOOP,
    anchor: 'else manual?.reject(errors[0]);',
    replacement: 'else manual?.resolve({ claimed: 0 });',
    expectCount: 1,
    tests: TESTS,
    red: ['start and the public tick > [L1] the public tick rejects with what its tick threw'],
  },
  {
    id: 'L1:unref',
    why: 'Timers keep no process alive.',
    file: SYSTEM_CLOCK,
    anchor: '    handle.unref();\n',
    replacement: '',
    expectCount: 1,
    tests: TESTS,
    red: ['start and the public tick > [L1] a loop that waits keeps no process alive'],
  },
];
