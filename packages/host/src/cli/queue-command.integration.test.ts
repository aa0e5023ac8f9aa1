/** `bellhop queue` beside a running host: in this process, and what the parsing of its arguments decides as a process of its own. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { QUEUE } from '@bellhop/contracts';
import { QUEUE_WORKER } from '@bellhop/service-queue';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type RunningHost, runHost, until } from '../running-host.fixture.js';
import { CommandLine } from './command-line.fixture.js';
import { failWithOneLine } from './failure.js';
import { queueFailed, queuePause, queueReplay, queueResume, queueSchedules, queueStats } from './queue-command.js';

let folder: string;
let flags: { readonly databaseUrl: string };
const hosts: RunningHost[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bellhop-queue-'));
  flags = { databaseUrl: `file:${join(folder, 'app.db')}` };
});
afterEach(async () => {
  for (const { host } of hosts.splice(0)) await host.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function start(options: Parameters<typeof runHost>[0] = {}): Promise<RunningHost> {
  const running = await runHost({ database: { url: flags.databaseUrl }, ...options });
  hosts.push(running);
  return running;
}

/** Runs a command as the program does. */
async function run<Args extends unknown[]>(command: (...args: Args) => Promise<void>, ...args: Args) {
  const written = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      written[stream] += String(text);
      return true;
    }),
  );
  const before = process.exitCode;
  process.exitCode = 0;
  try {
    await failWithOneLine(command)(...args);
    return { code: process.exitCode, ...written };
  } finally {
    process.exitCode = before;
    for (const spy of spies) spy.mockRestore();
  }
}

describe('bellhop queue', () => {
  it('counts, pauses and resumes; a running host hears of it', async () => {
    const { host, call } = await start();
    const seen: unknown[] = [];
    host.kernel.resolve(QUEUE).subscribe('mail', ({ data }) => void seen.push(data));
    expect(await run(queueStats, undefined, flags)).toEqual({ code: 0, stdout: '', stderr: 'There are no jobs.\n' });
    expect(await run(queueStats, 'mail', flags)).toEqual({ code: 0, stdout: '', stderr: 'There are no jobs in "mail".\n' });
    expect(await run(queuePause, 'mail', flags)).toEqual({ code: 0, stdout: expect.stringMatching(/^Paused "mail": .*\n$/), stderr: '' });
    await call('POST', '/v1/queues/mail/jobs', { organization: 'acme', body: { data: 1 } });
    const paused = await run(queueStats, 'mail', flags);
    expect(paused.stdout).toMatch(/^"mail" {2}scheduled 0 {2}pending 1 {2}running 0 .* {2}paused\n$/);
    expect((await run(queueStats, undefined, { ...flags, organization: 'umbrella' })).stdout).toBe('');
    await host.kernel.resolve(QUEUE_WORKER).settled();
    expect(seen).toEqual([]);
    expect(await run(queueResume, 'mail', flags)).toEqual({ code: 0, stdout: 'Resumed "mail".\n', stderr: '' });
    await until(
      () => call('GET', '/v1/queues/mail/stats', { organization: 'acme' }),
      ({ body }) => body.completed === 1,
      20_000,
    );
    expect(seen).toEqual([1]);
  });

  it('lists what is dead page by page, and replays it, one job or all of a queue', async () => {
    const { host, call } = await start();
    const queue = host.kernel.resolve(QUEUE);
    const bad = queue.subscribe('mail', () => {
      throw new Error('no such\nmailbox');
    });
    const options = { maxAttempts: 1, organizationId: 'acme' };
    await queue.publishMany(
      'mail',
      [1, 2, 3].map((data) => ({ data, options })),
    );
    await until(
      () => call('GET', '/v1/jobs/failed', { organization: 'acme' }),
      ({ body }) => body.total === 3,
      20_000,
    );
    await bad.unsubscribe();

    const first = await run(queueFailed, 'mail', { ...flags, limit: '2' });
    expect(first.stdout).toMatch(/^(\S+ {2}"mail" {2}organization "acme" {2}attempt 1 of 1 {2}died \S+Z {2}no such mailbox\n){2}$/);
    const cursor = /^These are 2 of 3\. The next ones: --cursor (\S+)\n$/.exec(first.stderr)?.[1] ?? '';
    const rest = await run(queueFailed, undefined, { ...flags, limit: '2', cursor });
    expect([rest.stdout.split('\n').length, rest.stderr]).toEqual([2, '']);
    const none = { code: 0, stdout: '', stderr: 'There are no dead jobs.\n' };
    expect(await run(queueFailed, undefined, { ...flags, organization: 'umbrella' })).toEqual(none);

    const id = first.stdout.split(' ')[0] ?? '';
    const foreign = await run(queueReplay, id, { ...flags, organization: 'umbrella' });
    expect([foreign.code, foreign.stderr]).toEqual([1, expect.stringMatching(/^bellhop: There is no dead job /)]);
    expect(await run(queueReplay, id, { ...flags, organization: 'acme' })).toEqual({ code: 0, stdout: `Replayed ${id}.\n`, stderr: '' });
    expect((await run(queueReplay, id, flags)).code).toBe(1);
    expect((await run(queueReplay, undefined, { ...flags, queue: 'mail' })).stdout).toBe('Replayed 2 jobs of "mail".\n');
    expect((await run(queueReplay, undefined, { ...flags, queue: 'mail' })).stdout).toBe('Replayed 0 jobs of "mail".\n');
    expect((await run(queueStats, 'mail', flags)).stdout).toMatch(/pending 3 .*dead 0/);
  });

  it('lists schedules', async () => {
    const { host } = await start({ queue: { work: false } });
    const queue = host.kernel.resolve(QUEUE);
    expect(await run(queueSchedules, flags)).toEqual({ code: 0, stdout: '', stderr: 'There are no schedules.\n' });
    await queue.schedule('weekly', { timing: { everyMs: 604_800_000 }, queue: 'report' });
    await queue.schedule('daily', { timing: { cron: '0 9 * * *', timeZone: 'Europe/Berlin' }, queue: 'report', organizationId: 'acme' });
    await queue.pauseSchedule('weekly');
    const { stdout } = await run(queueSchedules, flags);
    expect(stdout).toMatch(
      /^"daily" {2}organization "acme" {2}cron "0 9 \* \* \*" Europe\/Berlin {2}into "report" {2}next \S+Z\n"weekly" .* paused\n$/,
    );
    expect((await run(queueSchedules, { ...flags, organization: 'acme' })).stdout).toMatch(/^"daily" .*\n$/);
  });

  it('says that there is no database, and creates none', async () => {
    for (const look of [
      () => run(queueStats, undefined, flags),
      () => run(queueFailed, undefined, flags),
      () => run(queueSchedules, flags),
    ]) {
      expect(await look()).toEqual({ code: 0, stdout: '', stderr: expect.stringMatching(/^There is no database at .*\n$/) });
    }
    for (const act of [() => run(queuePause, 'mail', flags), () => run(queueResume, 'mail', flags), () => run(queueReplay, 'id', flags)]) {
      expect(await act()).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(/^bellhop: There is no database at .*\n$/) });
    }
    expect(existsSync(join(folder, 'app.db'))).toBe(false);
  });

  it.each<[string, () => ReturnType<typeof run>, RegExp]>([
    ['a limit out of bounds', () => run(queueFailed, undefined, { ...flags, limit: '201' }), /limit: /],
    ['a limit that is none', () => run(queueFailed, undefined, { ...flags, limit: 'many' }), /--limit: given "many"; a whole number/],
    ['a cursor that no page gave', () => run(queueFailed, undefined, { ...flags, cursor: 'nonsense' }), /cursor: /],
    ['an empty queue', () => run(queuePause, '', flags), /queue: empty/],
    ['a name that is too long', () => run(queueStats, 'x'.repeat(256), flags), /queue: 256 characters given/],
    ['an empty organization', () => run(queueStats, undefined, { ...flags, organization: '' }), /organizationId: empty/],
    ['an id that there is none of', () => run(queueReplay, 'nothing', flags), /There is no dead job "nothing"/],
    ['neither id nor queue', () => run(queueReplay, undefined, flags), /give either the id of a dead job or --queue/],
    ['both id and queue', () => run(queueReplay, 'id', { ...flags, queue: 'mail' }), /give either/],
    ['a database inside a host', () => run(queueStats, undefined, { databaseUrl: 'memory:' }), /memory: lives inside the host/],
  ])('refuses %s in one line, with exit code 1', async (_what, command, message) => {
    await start({ queue: { work: false } });
    const { code, stdout, stderr } = await command();
    expect([code, stdout, stderr.trimEnd().split('\n').length]).toEqual([1, '', 1]);
    expect(stderr).toMatch(message);
  });

  it('refuses where the config keeps jobs inside the host', async () => {
    await start();
    const config = join(folder, 'config.json');
    writeFileSync(config, '{ "queue": { "jobs": "memory" } }');
    expect(await run(queueStats, undefined, { ...flags, config })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/keeps jobs in memory/),
    });
  });
});

describe('the arguments of bellhop queue', () => {
  const line = new CommandLine();
  afterEach(() => line.end());

  it('are handed over, and refused where they fit no command', async () => {
    const database = ['--database-url', flags.databaseUrl];
    const { host } = await start({ queue: { work: false } });
    await host.kernel.resolve(QUEUE).publish('mail', 1, { organizationId: 'acme' });
    const [stats, ...refused] = await Promise.all([
      line.run(['queue', 'stats', 'mail', '--organization', 'acme', ...database]),
      line.run(['queue', 'pause', ...database]),
      line.run(['queue', 'stats', 'a', 'b', ...database]),
      line.run(['queue', 'halt']),
    ]);
    expect(stats).toMatchObject({ code: 0, stdout: expect.stringMatching(/^"mail" {2}scheduled 0 {2}pending 1 /) });
    expect(refused.map(({ code, stderr }) => [code, stderr.split('\n')[0]])).toEqual([
      [1, expect.stringMatching(/missing required argument 'queue'/)],
      [1, expect.stringMatching(/too many arguments/)],
      [1, expect.stringMatching(/unknown command 'halt'/)],
    ]);
  });
});
