import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Child, startChild, startNode } from './child-process.js';

const children: Child[] = [];

function start(...args: string[]): Child {
  const child = startChild(new URL('./child-process.fixture.ts', import.meta.url), { args });
  children.push(child);
  return child;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

afterEach(async () => {
  for (const child of children.splice(0)) await child.kill();
});

describe('startChild', () => {
  it('runs TypeScript with the workspace from source, and ends by itself when there is nothing left to do', async () => {
    const child = start('lines');
    expect(await child.line(/two/)).toBe('two');
    expect(await child.line()).toBe('one'); // passed over, not lost
    expect(await child.line()).toBe('function');
    expect(await child.exited).toEqual({ code: 0, signal: null });
  });

  it('talks by messages', async () => {
    const child = start('echo');
    child.send('first');
    child.send({ n: 2 });
    expect(await child.message()).toEqual({ echo: 'first' });
    expect(await child.message()).toEqual({ echo: { n: 2 } });
  });

  it('kills with -9, and tells whoever waits', async () => {
    const child = start('forever');
    await child.line(/running/);
    const waiting = expect(child.line()).rejects.toThrow('signal SIGKILL');
    expect(await child.kill()).toEqual({ code: null, signal: 'SIGKILL' });
    await waiting;
    expect(await child.kill()).toEqual({ code: null, signal: 'SIGKILL' });
    await expect(child.message()).rejects.toThrow('signal SIGKILL');
  });

  it('shows why a child failed', async () => {
    const child = start('fail');
    await expect(child.line()).rejects.toThrow('as asked');
    expect((await child.exited).code).toBe(1);
  });

  it('passes the environment on', async () => {
    const child = startNode(['--eval', 'console.log(process.env.A, process.env.HOME)'], { env: { A: 'x', HOME: undefined } });
    expect(await child.line()).toBe('x undefined');
  });

  it('leaves no orphan when the process that started it is killed', async () => {
    const parent = start('parent');
    const orphan = Number(await parent.line(/^\d+$/));
    expect(isAlive(orphan)).toBe(true);
    await parent.kill();
    await vi.waitFor(() => expect(isAlive(orphan)).toBe(false), 5_000);
  });

  it('where an ordinary child would stay (control)', async () => {
    const parent = start('careless');
    const orphan = Number(await parent.line(/^\d+$/));
    await parent.kill();
    expect(isAlive(orphan)).toBe(true);
    process.kill(orphan, 'SIGKILL');
  });
});
