import { expect, it, vi } from 'vitest';
import { Baselines } from './baselines.js';
import type { Run, Status } from './evidence.js';

const STATE = { head: 'h', status: '', diff: 'd' };

function runner(status: Status = 'passed', faults: readonly string[] = []) {
  return vi.fn(async (files: readonly string[]): Promise<Run> => {
    return { tests: files.map((file) => ({ file, name: `of ${file}`, status, errors: [] })), faults, durationMs: 5 };
  });
}

it('a file that was green on this state of the tree is not run again', async () => {
  const baselines = new Baselines();
  const run = runner();
  expect((await baselines.of(['a', 'b'], STATE, run)).tests.map(({ file }) => file)).toEqual(['a', 'b']);
  const second = await baselines.of(['b', 'c', 'a'], STATE, run);
  expect(second.tests.map(({ file }) => file).sort()).toEqual(['a', 'b', 'c']);
  expect(await baselines.of(['c'], STATE, run)).toMatchObject({ durationMs: 0, tests: [{ file: 'c' }] });
  expect(run.mock.calls).toEqual([[['a', 'b']], [['c']]]);
});

it('another state of the tree has baselines of its own', async () => {
  const baselines = new Baselines();
  const run = runner();
  await baselines.of(['a'], STATE, run);
  for (const other of [
    { ...STATE, head: 'other' },
    { ...STATE, status: ' M a' },
    { ...STATE, diff: 'other' },
  ]) {
    await baselines.of(['a'], other, run);
  }
  expect(run).toHaveBeenCalledTimes(4);
});

it('what was red or no evidence is run again', async () => {
  const baselines = new Baselines();
  await baselines.of(['a'], STATE, runner('failed'));
  await baselines.of(['b'], STATE, runner('passed', ['a hook failed']));
  const run = runner();
  await baselines.of(['a', 'b'], STATE, run);
  expect(run.mock.calls).toEqual([[['a', 'b']]]);
});
