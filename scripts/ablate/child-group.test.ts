import { tmpdir } from 'node:os';
import { expect, it, vi } from 'vitest';
import { type GroupOptions, runGroup } from './child-group.js';

const OPTIONS: GroupOptions = { cwd: tmpdir(), env: process.env, limitMs: 60_000 };

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

it('gives the exit code, and the end of what was written', async () => {
  expect(await runGroup('sh', ['-c', 'echo out; echo err >&2; exit 3'], OPTIONS)).toMatchObject({ code: 3, signal: null, overdue: false });
  const { output } = await runGroup('sh', ['-c', 'seq 1 10000; echo last >&2'], OPTIONS);
  expect(output).toMatch(/9999\n10000\n/);
  expect(output).not.toContain('\n1000\n');
});

it('ends with its leader, and takes with it what still runs', async () => {
  const { code, output } = await runGroup('sh', ['-c', 'sleep 600 & echo $!'], OPTIONS);
  expect(code).toBe(0);
  await vi.waitFor(() => expect(isAlive(Number(output))).toBe(false), 5_000);
});

it('is ended when it runs too long, by force if need be', async () => {
  const end = await runGroup('sh', ['-c', 'trap "" TERM; sleep 600 & echo $!; wait; sleep 600'], { ...OPTIONS, limitMs: 300 });
  expect(end).toMatchObject({ overdue: true, signal: 'SIGKILL' });
  await vi.waitFor(() => expect(isAlive(Number(end.output))).toBe(false), 5_000);
});

it('that cannot be started is an error', async () => {
  await expect(runGroup('/no/such/command', [], OPTIONS)).rejects.toThrow(/ENOENT/);
});
