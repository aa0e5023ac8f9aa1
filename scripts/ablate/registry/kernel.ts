// The kernel's rules: a failed boot is rolled back, the stop goes backwards, the deployment's binding wins.
import type { Ablation } from '../ablation.js';

const ROLLBACK = ['packages/kernel/src/rollback.test.ts'];
const STOP = ['packages/kernel/src/stop.test.ts'];
const BIND = ['packages/kernel/src/bind-wins.test.ts'];

const rolledBackIn = (step: 'init' | 'start' | 'ready') =>
  `a start that fails > [K-rollback] in ${step} stops everything whose init began, the failing one included, in reverse`;
const FIRST_ERROR =
  'a start that fails > [K-rollback] throws the first error, with those of the teardown behind it, and stops the rest all the same';

export const ablations: readonly Ablation[] = [
  {
    id: 'K-rollback',
    why: 'On any failure of a boot everything whose init began is stopped.',
    file: 'packages/kernel/src/kernel.ts',
    anchor:
      "this.stopFailures = (await this.lifecycle?.teardown()) ?? [];\n      this.current = this.interrupt.signal.aborted ? 'stopped' : 'failed';",
    replacement: "this.current = this.interrupt.signal.aborted ? 'stopped' : 'failed';",
    expectCount: 1,
    tests: ROLLBACK,
    red: [
      rolledBackIn('init'),
      rolledBackIn('start'),
      rolledBackIn('ready'),
      FIRST_ERROR,
      'a start that fails > aborts the signals of all',
      'a start that fails > leaves a kernel whose stop is harmless',
    ],
  },
  {
    id: 'K-rollback:only-then',
    why: 'A boot that succeeds stops nothing.',
    file: 'packages/kernel/src/kernel.ts',
    anchor: "this.current = 'ready';",
    replacement: "await this.lifecycle?.teardown();\n      this.current = 'ready';",
    expectCount: 1,
    tests: ROLLBACK,
    red: ['a start that fails > [K-rollback] stops nothing when nothing fails'],
  },
  {
    id: 'K-rollback:begun',
    why: 'A plugin whose init began, and that never started, is stopped, too: it may hold what it opened there.',
    file: 'packages/kernel/src/loaded-plugin.ts',
    anchor: "if (this.progress === 'waiting') return undefined;",
    replacement: "if (this.progress !== 'started') return undefined;",
    expectCount: 1,
    tests: ROLLBACK,
    red: [rolledBackIn('init'), rolledBackIn('start'), FIRST_ERROR, 'a start that fails > leaves a kernel whose stop is harmless'],
  },
  {
    id: 'K-rollback:untouched',
    why: 'A plugin whose init did not begin is not stopped: its stop would meet nothing it expects.',
    file: 'packages/kernel/src/loaded-plugin.ts',
    anchor: "if (this.progress === 'waiting') return undefined;",
    replacement: '',
    expectCount: 1,
    tests: ROLLBACK,
    red: [rolledBackIn('init')],
  },
  {
    id: 'K-rollback:all-the-same',
    why: 'One failing stop never skips the rest.',
    file: 'packages/kernel/src/lifecycle.ts',
    anchor: 'failures.push(failure);',
    replacement: 'return [failure];',
    expectCount: 1,
    tests: ROLLBACK,
    red: [FIRST_ERROR],
  },
  {
    id: 'K-rollback:first-error',
    why: 'What failed in the teardown comes behind the first error, in `errors`.',
    file: 'packages/kernel/src/kernel.ts',
    anchor: 'throw error instanceof KernelError ? error.followedBy(this.stopFailures) : error;',
    replacement: 'throw error;',
    expectCount: 1,
    tests: ROLLBACK,
    red: [FIRST_ERROR],
  },
  {
    id: 'K-stop-order',
    why: 'The stop goes in reverse topological order.',
    file: 'packages/kernel/src/lifecycle.ts',
    anchor: 'for (const plugin of [...plugins].reverse()) {',
    replacement: 'for (const plugin of plugins) {',
    expectCount: 1,
    tests: STOP,
    red: [
      'stopping > [K-stop-order] goes in reverse topological order, whatever the order of registration',
      'stopping > [K-stop-order] waits for each before the next',
      'stopping > lets no failure skip the rest, and reports all of them',
      'stopping > bounds each stop by stopTimeoutMs',
    ],
  },
  {
    id: 'K-stop-order:waits',
    why: 'A plugin is stopped once everything that requires it has stopped, not while.',
    file: 'packages/kernel/src/lifecycle.ts',
    anchor: 'for (const plugin of [...plugins].reverse()) {\n      const failure = await plugin.stop();',
    replacement:
      'const stopped = [...plugins].reverse().map((plugin) => ({ plugin, stop: plugin.stop() }));\n    for (const { plugin, stop } of stopped) {\n      const failure = await stop;',
    expectCount: 1,
    tests: STOP,
    red: ['stopping > [K-stop-order] waits for each before the next', 'stopping > bounds each stop by stopTimeoutMs'],
  },
  {
    id: 'K-bind-wins',
    why: 'What the deployment binds wins over what a plugin binds, and the plugin is told so instead of failing.',
    file: 'packages/kernel/src/container.ts',
    anchor: 'if (bound?.owner === DEPLOYMENT && owner !== DEPLOYMENT) return false;',
    replacement: '',
    expectCount: 1,
    tests: BIND,
    red: ['what the deployment binds > [K-bind-wins] wins over a plugin, which is told so and whose default is never made'],
  },
  {
    id: 'K-bind-wins:lazy',
    why: 'A default that a plugin offers by a factory is never made where the deployment binds its own.',
    file: 'packages/kernel/src/plugin-container.ts',
    anchor: 'container.bind(owner, token, container.once(token, make))',
    replacement: 'container.bind(owner, token, readerOf(token, make()))',
    expectCount: 1,
    tests: BIND,
    red: ['what the deployment binds > [K-bind-wins] wins over a plugin, which is told so and whose default is never made'],
  },
  {
    id: 'K-bind-wins:default',
    why: 'Where the deployment binds nothing the default of the plugin stands.',
    file: 'packages/kernel/src/container.ts',
    anchor: 'if (bound?.owner === DEPLOYMENT && owner !== DEPLOYMENT) return false;',
    replacement: 'if (owner !== DEPLOYMENT && owner !== KERNEL) return false;',
    expectCount: 1,
    tests: BIND,
    red: [
      'what the deployment binds > [K-bind-wins] leaves the default of the plugin where the deployment says nothing',
      'what plugins bind > is bound once: two plugins that bind one token are refused, both named',
      "what plugins bind > is not the kernel's clock: that is the deployment's to choose",
    ],
  },
  {
    id: 'K-bind-wins:kernel',
    why: 'What the deployment binds wins over the defaults of the kernel itself.',
    file: 'packages/kernel/src/container.ts',
    anchor: 'if (bound && !(bound.owner === KERNEL && owner === DEPLOYMENT)) throw',
    replacement: 'if (bound) throw',
    expectCount: 1,
    tests: BIND,
    red: ['what the deployment binds > [K-bind-wins] wins for the kernel itself: its clock, logger and random'],
  },
];
