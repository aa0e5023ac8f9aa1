// A real git repository with one small module, its tests and a registry, for the cases of the self-test. vitest comes from this checkout, by a
// link; everything is under one folder, the ablations' own temporary files included, so that nothing is left of it.

import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type Files, TemporaryRepository } from '../../gates/framework/temporary-repository.js';
import type { Ablation } from '../ablation.js';

export const SOURCE = 'src/delay.ts';
export const TESTS = 'src/delay.test.ts';

const DELAY = `export const HOLD = false;
export const LEVELS = [0, 1, 2];

export function delay(level: number, ceiling: number): number {
  return Math.min(2 ** level, ceiling);
}

export async function answer(): Promise<number> {
  return 1;
}
`;

const DELAY_TEST = `import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { answer, delay, HOLD, LEVELS } from './delay.js';

describe('a delay', () => {
  it('[D1] doubles', () => expect(delay(3, 100)).toBe(8));
  it('[D1] stops at the ceiling', () => expect(delay(10, 100)).toBe(100));
  it('is a number', async () => expect(await answer()).toBeTypeOf('number'), 300);
  it.each(LEVELS)('is positive at level %i', (level) => expect(delay(level, 100)).toBeGreaterThan(0));
  // Says that it runs, and waits for its end.
  it.runIf(HOLD)('holds', async () => once(connect(Number(process.env.BEACON)), 'close'), 600_000);
});
`;

/** What the module's tests are called. */
export const DOUBLES = 'a delay > [D1] doubles';
export const CEILING = 'a delay > [D1] stops at the ceiling';
export const ANSWERS = 'a delay > is a number';

export class TinyRepository {
  readonly root: string;
  /** The temporary folder of the commands that run on it. */
  readonly temporary: string;
  readonly #git: TemporaryRepository;

  /** @param folder empty. @param checkout whose packages it uses. */
  constructor(folder: string, checkout: string, files: Files) {
    this.root = join(folder, 'tree');
    this.temporary = join(folder, 'tmp');
    mkdirSync(this.temporary);
    this.#git = new TemporaryRepository(this.root);
    this.commit({
      '.gitignore': 'node_modules\n',
      'package.json': '{ "name": "tiny", "private": true, "type": "module" }\n',
      'vitest.config.ts': "export default { test: { include: ['src/**/*.test.ts'] } };\n",
      [SOURCE]: DELAY,
      [TESTS]: DELAY_TEST,
      ...files,
    });
    symlinkSync(join(checkout, 'node_modules'), join(this.root, 'node_modules'));
  }

  write(files: Files): void {
    this.#git.write(files);
  }

  commit(files: Files): void {
    this.#git.commit(files, 'as the case wants it');
  }

  git(...args: readonly string[]): string {
    return this.#git.git(...args);
  }

  read(file: string): string {
    return readFileSync(join(this.root, file), 'utf8');
  }
}

/** A registry file with these entries, each of which is, where it does not say otherwise, an ablation of the ceiling that proves. */
export function registry(...entries: readonly Partial<Ablation>[]): Files {
  const whole = entries.map(
    (entry): Ablation => ({
      id: 'D1',
      why: 'A delay stops at its ceiling.',
      file: SOURCE,
      anchor: 'Math.min(2 ** level, ceiling)',
      replacement: '2 ** level',
      expectCount: 1,
      tests: [TESTS],
      red: [CEILING],
      ...entry,
    }),
  );
  return { 'scripts/ablate/registry/tiny.ts': `export const ablations = ${JSON.stringify(whole, null, 2)};\n` };
}
