// The small workspace that the cases of the self-test start from: every layer, nothing wrong. And the copy of the real one.
import type { Repository } from '../framework/repository.js';
import type { Files } from '../framework/temporary-repository.js';

/** Declared as production dependencies: of packages by folder, of npm packages by name. */
function manifest(folder: string, dependencies: readonly string[], more: Record<string, unknown> = {}): string {
  const names = dependencies.map((name) => [FOLDERS.includes(name) ? `@bellhop/${name}` : name, '*']);
  const exports = { '.': { types: './dist/index.d.ts' }, './setup': { types: './dist/setup.d.ts' } };
  return JSON.stringify({ name: `@bellhop/${folder}`, exports, dependencies: Object.fromEntries(names), ...more }, null, 2);
}

const FOLDERS = ['kernel', 'contracts', 'loop', 'store', 'service-messaging', 'service-queue', 'host', 'testing', 'bench'];

export const SMALL_WORKSPACE: Files = {
  'package.json': JSON.stringify({ devDependencies: { vitest: '*', '@bellhop/host': '*', '@bellhop/testing': '*' } }),
  'vitest.config.ts': `import { defineConfig } from 'vitest/config';\nexport default defineConfig({});\n`,
  'scripts/tool.ts': `import { host } from '@bellhop/host';\nimport { part } from './part.js';\nexport const tool = [host, part];\n`,
  'scripts/part.ts': `export const part = 1;\n`,

  'packages/kernel/package.json': manifest('kernel', ['zod']),
  'packages/kernel/src/index.ts': `export type { Clock } from './clock.js';\nexport { clock } from './system-clock.js';\n`,
  'packages/kernel/src/clock.ts': `export interface Clock {\n  now(): number;\n}\n`,
  'packages/kernel/src/system-clock.ts': `import { performance } from 'node:perf_hooks';\nimport type { Clock } from './clock.js';\nexport const clock: Clock = performance;\n`,
  'packages/kernel/src/clock.test.ts': `import { it } from 'vitest';\nimport { manualClock } from '@bellhop/testing';\nimport { ticks } from './clock.fixture.js';\nit('ticks', () => ticks(manualClock));\n`,
  'packages/kernel/src/clock.fixture.ts': `import { manualClock } from '@bellhop/testing';\nexport const ticks = (clock = manualClock) => clock;\n`,

  'packages/contracts/package.json': manifest('contracts', ['kernel']),
  'packages/contracts/src/index.ts': `import type { Clock } from '@bellhop/kernel';\nexport type Port = Clock;\n`,

  'packages/loop/package.json': manifest('loop', ['kernel']),
  'packages/loop/src/index.ts': `import type { Clock } from '@bellhop/kernel';\nexport class Loop {\n  constructor(readonly clock: Clock) {}\n}\n`,

  'packages/store/package.json': manifest('store', ['kernel', 'contracts', 'knex'], { devDependencies: { 'fast-check': '*' } }),
  'packages/store/src/index.ts': `import knex from 'knex';\nimport { clock } from '@bellhop/kernel';\nexport const store = [knex, clock];\n`,

  'packages/service-messaging/package.json': manifest('service-messaging', ['kernel', 'contracts', 'loop', 'store']),
  'packages/service-messaging/src/index.ts': `import { Loop } from '@bellhop/loop';\nimport { store } from '@bellhop/store';\nexport const messaging = [Loop, store];\n`,

  'packages/service-queue/package.json': manifest('service-queue', ['kernel']),
  'packages/service-queue/src/index.ts': `export const queue = 1;\n`,

  'packages/host/package.json': manifest('host', ['kernel', 'service-messaging']),
  'packages/host/src/index.ts': `import { messaging } from '@bellhop/service-messaging';\nexport const host = messaging;\n`,

  'packages/testing/package.json': manifest('testing', ['kernel', 'store']),
  'packages/testing/src/index.ts': `import { store } from '@bellhop/store';\nexport const manualClock = store;\n`,

  'packages/bench/package.json': manifest('bench', ['testing', 'host']),
  'packages/bench/src/index.ts': `import { host } from '@bellhop/host';\nimport { manualClock } from '@bellhop/testing';\nexport const bench = [host, manualClock];\n`,
};

/** Every manifest and source file of the checkout. */
export function realSources(checkout: Repository): Files {
  const paths = checkout.files().filter((path) => /(^|\/)package\.json$|\.[cm]?[jt]sx?$/.test(path));
  return Object.fromEntries(paths.map((path) => [path, checkout.read(path) ?? null]));
}
