// What a wake of a loop does, and what it costs at most.
import type { Ablation } from '../ablation.js';

const LOOP = 'packages/loop/src/dispatch-loop.ts';
const OWED = 'packages/loop/src/owed.ts';

const TESTS = ['packages/loop/src/dispatch-loop.wake.test.ts', 'packages/loop/src/dispatch-loop.property.test.ts'];
const PROPERTY = '[L5] [L6] [L7] [L8] never two ticks at once, and no wake or due time is forgotten, whatever happens in what order';

export const ablations: readonly Ablation[] = [
  {
    id: 'L5:same-instant',
    why: 'A wake ticks in the same instant.',
    file: LOOP,
    anchor: 'this.counts.coalescedWakes += 1;\n    this.arm();',
    replacement: 'this.counts.coalescedWakes += 1;',
    expectCount: 1,
    tests: TESTS,
    red: [
      'wake > [L5] a tick that starts for another reason answers a wake that waits',
      'wake > [L5] start, timer, refill and more ticks neither count for the spacing nor wait for it',
      'wake > [L5] the spacing holds for a follow-up of a woken tick',
      'wake > [L5] ticks in the same instant and resets the idle level',
      'wake > [L5] wakes of one turn of the event loop share a tick',
      'wake > [L5] woken ticks keep their distance: the first at once, the rest collapse into one per spacing',
    ],
  },
  {
    id: 'L5:idle-level',
    why: 'A wake resets the idle level.',
    file: OWED,
    anchor: '    if (this.wakeOwed) this.idleLevel = 0;\n',
    replacement: '',
    expectCount: 1,
    tests: TESTS,
    red: ['wake > [L5] ticks in the same instant and resets the idle level'],
  },
  {
    id: 'L5:coalesce',
    why: 'Any number of wakes make one tick.',
    file: OWED,
    anchor: 'private wakeOwed = false;',
    replacement:
      'private wakes = 0;\n  private get wakeOwed(): boolean {\n    return this.wakes > 0;\n  }\n  private set wakeOwed(owed: boolean) {\n    this.wakes = owed ? this.wakes + 1 : Math.max(0, this.wakes - 1);\n  }',
    expectCount: 1,
    tests: TESTS,
    red: [
      'wake > [L5] any number of wakes during a tick make one follow-up, which starts when it settles',
      'wake > [L5] wakes of one turn of the event loop share a tick',
      'wake > [L5] woken ticks keep their distance: the first at once, the rest collapse into one per spacing',
    ],
  },
  {
    id: 'L5:follow-up',
    why: 'A wake during a tick makes a follow-up.',
    file: OWED,
    anchor: 'this.moreOwed = result?.more === true && claimed > 0;',
    replacement: 'this.wakeOwed = false;\n    this.moreOwed = result?.more === true && claimed > 0;',
    expectCount: 1,
    tests: TESTS,
    red: [
      PROPERTY,
      'wake > [L5] any number of wakes during a tick make one follow-up, which starts when it settles',
      'wake > [L5] the spacing holds for a follow-up of a woken tick',
    ],
  },
  {
    id: 'L5:during',
    why: 'A wake during a tick starts no second one beside it.',
    file: LOOP,
    anchor: 'if (!this.running || !this.isQuiet()) return;',
    replacement: 'if (!this.running) return;',
    expectCount: 1,
    tests: TESTS,
    red: [PROPERTY, 'wake > [L5] any number of wakes during a tick make one follow-up, which starts when it settles'],
  },
  {
    id: 'L5:spacing',
    why: 'Woken ticks keep `minWakeSpacingMs` between them.',
    file: OWED,
    anchor: 'this.lastWokenAt + this.settings.minWakeSpacingMs',
    replacement: 'this.lastWokenAt',
    expectCount: 1,
    tests: TESTS,
    red: [
      'wake > [L5] a tick that starts for another reason answers a wake that waits',
      'wake > [L5] start, timer, refill and more ticks neither count for the spacing nor wait for it',
      'wake > [L5] the spacing holds for a follow-up of a woken tick',
      'wake > [L5] woken ticks keep their distance: the first at once, the rest collapse into one per spacing',
    ],
  },
  {
    id: 'L5:uncounted',
    why: 'A tick that was not woken does not count for the spacing.',
    file: OWED,
    anchor: "if (hint === 'wake') this.lastWokenAt = at.monotonic;",
    replacement: 'this.lastWokenAt = at.monotonic;',
    expectCount: 1,
    tests: TESTS,
    red: [
      'wake > [L5] a tick that starts for another reason answers a wake that waits',
      'wake > [L5] start, timer, refill and more ticks neither count for the spacing nor wait for it',
    ],
  },
  {
    id: 'L5:unspaced',
    why: 'A tick that was not woken does not wait for the spacing.',
    file: OWED,
    anchor: 'if (this.startOwed || this.moreOwed || this.refillOwed) return 0;',
    replacement:
      'if (this.startOwed || this.moreOwed || this.refillOwed) return this.lastWokenAt + this.settings.minWakeSpacingMs - now.monotonic;',
    expectCount: 1,
    tests: TESTS,
    red: ['wake > [L5] start, timer, refill and more ticks neither count for the spacing nor wait for it'],
  },
  {
    id: 'L5:answered',
    why: 'A tick that starts for another reason answers a wake that waits for the spacing.',
    file: OWED,
    anchor:
      "    if (hint === 'wake') this.lastWokenAt = at.monotonic;\n    this.known.takeFrom(this.announced);\n    this.known.dropUpTo(at.wall);\n    this.startOwed = this.wakeOwed = this.moreOwed = this.slotFreed = false;",
    replacement:
      "    const early = at.monotonic < this.lastWokenAt + this.settings.minWakeSpacingMs;\n    if (hint === 'wake') this.lastWokenAt = at.monotonic;\n    this.known.takeFrom(this.announced);\n    this.known.dropUpTo(at.wall);\n    this.startOwed = this.moreOwed = this.slotFreed = false;\n    this.wakeOwed = this.wakeOwed && early;",
    expectCount: 1,
    tests: TESTS,
    red: ['wake > [L5] a tick that starts for another reason answers a wake that waits'],
  },
  {
    id: 'L5:outranked',
    why: 'A due time that has come outranks a wake.',
    file: OWED,
    anchor: "if (due) return 'due';\n    if (this.wakeOwed) return 'wake';",
    replacement: "if (this.wakeOwed) return 'wake';\n    if (due) return 'due';",
    expectCount: 1,
    tests: TESTS,
    red: ['wake > [L5] a due time that has come outranks a wake, because a claim in haste may not reach its work'],
  },
  {
    id: 'L5:after-stop',
    why: 'A wake does nothing before the start and after the stop.',
    file: LOOP,
    anchor: 'if (!this.running) return;\n    this.counts.wakes += 1;',
    replacement: 'this.running = true;\n    this.counts.wakes += 1;',
    expectCount: 1,
    tests: TESTS,
    red: ['wake > [L5] before start and after stop a wake does nothing'],
  },
];
