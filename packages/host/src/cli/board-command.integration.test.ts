/** `bellhop endpoint`, `todo` and `stall` beside a running host: in this process, and their arguments as processes of their own. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type RunningHost, runHost } from '../running-host.fixture.js';
import { CommandLine } from './command-line.fixture.js';
import { endpointList, endpointRevoke, endpointVend } from './endpoint-command.js';
import { failWithOneLine } from './failure.js';
import { stallExplain, todoList, todoPush, todoRetry } from './todo-command.js';

let folder: string;
let flags: { readonly databaseUrl: string };
const hosts: RunningHost[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bellhop-board-'));
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

describe('bellhop endpoint, todo and stall', () => {
  it('make endpoints and todos that a running host serves at once', async () => {
    const { call } = await start();
    expect(await run(endpointList, flags)).toEqual({ code: 0, stdout: '', stderr: expect.stringMatching(/^There are no endpoints\./) });
    const vended = await run(endpointVend, 'reviewer', { ...flags, queue: ['reviews', 'a:b'], lease: '60000' });
    expect(vended).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Made ep_\S+, "reviewer"\. Its credential is shown only now/) });
    const key = vended.stdout.trimEnd();
    expect(key).toMatch(/^sbk_[\w-]{43}$/);

    const pushed = await run(todoPush, 'reviewer', 'Look\nat it', { ...flags, queue: 'a:b', payload: '{"pr":7}', kind: 'pr', key: 'k' });
    expect(pushed).toEqual({ code: 0, stdout: expect.stringMatching(/^td_\S+\n$/), stderr: '' });
    const id = pushed.stdout.trimEnd();
    const again = await run(todoPush, 'reviewer', 'Look', { ...flags, queue: 'a:b', key: 'k' });
    expect([again.stdout, again.stderr]).toEqual([`${id}\n`, expect.stringMatching(/^Another todo holds this key/)]);
    const { body } = await call('POST', '/v1/todos/claim-next', { key, body: { claimant: 'w1' } });
    expect(body.todo).toMatchObject({ id, payload: { pr: 7 }, kind: 'pr', gate: true, source: 'operator' });

    expect((await run(todoList, 'reviewer', flags)).stdout).toBe(`${id}  "a:b"  claimed by "w1"  attempt 1 of 5  "Look\\nat it"\n`);
    expect(await run(todoList, 'reviewer', { ...flags, state: 'pending' })).toEqual({
      code: 0,
      stdout: '',
      stderr: 'There are no such todos.\n',
    });
    expect((await run(todoList, 'reviewer', { ...flags, queue: 'reviews' })).stderr).toBe(
      'There are no such todos in the queue "reviews".\n',
    );
    expect((await run(todoList, 'reviewer', { ...flags, queue: 'review' })).stderr).toBe(
      'The queue "review" is not in the scope of "reviewer" and holds none of its todos. Its queues: "reviews", "a:b".\n',
    );
    expect((await run(endpointList, flags)).stdout).toMatch(
      /^ep_\S+ {2}"reviewer" {2}active {2}sbk_\S+… {2}queues "reviews", "a:b" {2}made \S+Z\n$/,
    );
    expect((await run(endpointList, { ...flags, organization: 'umbrella' })).stdout).toBe('');

    expect((await run(endpointRevoke, 'reviewer', flags)).stdout).toMatch(/^Revoked ep_\S+, "reviewer"\./);
    expect(await run(endpointRevoke, 'reviewer', flags)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^ep_\S+, "reviewer", was revoked before, at \S+Z\. Nothing was changed\.\n$/),
    });
    expect((await call('GET', '/v1/todos', { key })).status).toBe(401);
    expect((await run(todoList, 'reviewer', flags)).stdout).toMatch(/failed dead letter/);
    expect((await run(stallExplain, 'reviewer', 'a:b', flags)).stdout).toMatch(
      /^state: endpoint_revoked\nreason: .+\nnext wake: none\nchange: .+\n$/,
    );
  });

  it('tell the notify hooks of what was pushed from here, where the key is known that opens their secrets', async () => {
    const told: string[] = [];
    const receiver = createServer((request, response) => {
      request.setEncoding('utf8').on('data', (chunk: string) => void told.push(chunk));
      request.on('end', () => response.writeHead(204).end());
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const encryptionKey = Buffer.alloc(32, 7).toString('base64');
    const { call } = await start({ encryptionKey, outbound: { allowHttp: true, allowCidrs: ['127.0.0.1/32'] } });
    await run(endpointVend, 'reviewer', { ...flags, queue: ['reviews'] });
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/wake`;
    expect((await call('POST', '/v1/endpoints/reviewer/notify-hooks', { body: { url } })).status).toBe(201);

    const unopened = await run(todoPush, 'reviewer', 'one', { ...flags, queue: 'reviews' });
    expect([unopened.code, told]).toEqual([0, []]);
    vi.stubEnv('BELLHOP_ENCRYPTION_KEY', encryptionKey);
    vi.stubEnv('BELLHOP_OUTBOUND_ALLOW_HTTP', 'true');
    vi.stubEnv('BELLHOP_OUTBOUND_ALLOW_CIDRS', '127.0.0.1/32');
    const { stdout } = await run(todoPush, 'reviewer', 'two', { ...flags, queue: 'reviews' });
    vi.unstubAllEnvs();
    receiver.close();
    expect(told).toHaveLength(1);
    expect(told[0]).toContain(stdout.trimEnd());
    // What could not be opened was not held against the hook.
    expect((await call('GET', '/v1/endpoints/reviewer/notify-hooks')).body.items).toMatchObject([
      { enabled: true, failures: 0, lastOutcome: '2xx' },
    ]);
  });

  it('retry what failed, list by page, and print one JSON value each', async () => {
    const { call } = await start();
    const json = { ...flags, organization: 'acme', json: true };
    const parsed = async (running: ReturnType<typeof run>) => {
      const { code, stdout, stderr } = await running;
      expect([code, stdout.split('\n').length, stderr]).toEqual([0, 2, expect.any(String)]);
      return JSON.parse(stdout);
    };
    const expiresAt = '2999-01-31T12:00:00+01:00';
    const { credential: key, endpoint } = await parsed(
      run(endpointVend, 'worker', { ...json, queue: ['work'], verb: ['claim', 'fail'], expiresAt }),
    );
    expect(endpoint).toMatchObject({ organizationId: 'acme', verbs: ['claim', 'fail'], expiresAt: Date.parse(expiresAt) });
    expect(await parsed(run(endpointList, json))).toEqual([endpoint]);
    const { id, deduped } = await parsed(run(todoPush, 'worker', 'One', { ...json, queue: 'work' }));
    expect(deduped).toBe(false);
    await parsed(run(todoPush, 'worker', 'Two', { ...json, queue: 'work' }));
    await call('POST', `/v1/todos/${id}/claim`, { key, body: {} });
    await call('POST', `/v1/todos/${id}/fail`, { key, body: {} });
    expect(await parsed(run(todoList, 'worker', { ...json, state: 'failed' }))).toMatchObject([{ id, state: 'failed' }]);
    expect(await parsed(run(todoRetry, id, json))).toMatchObject({ id, state: 'pending' });
    const failed = await run(todoRetry, id, json);
    expect([failed.code, failed.stdout, failed.stderr]).toEqual([1, '', expect.stringMatching(/^bellhop: /)]);

    const first = await run(todoList, 'worker', { ...json, limit: '1' });
    const cursor = /--cursor (\S+)\n$/.exec(first.stderr)?.[1] ?? '';
    expect([JSON.parse(first.stdout).length, (await parsed(run(todoList, 'worker', { ...json, limit: '1', cursor }))).length]).toEqual([
      1, 1,
    ]);
    expect(await parsed(run(stallExplain, 'worker', 'work', json))).toMatchObject({
      endpointId: endpoint.id,
      queue: 'work',
      state: 'no_hook',
    });
    expect(await parsed(run(endpointRevoke, endpoint.id, json))).toMatchObject({ state: 'revoked' });
  });

  it.each<[string, () => ReturnType<typeof run>, RegExp]>([
    ['a slug that is none', () => run(endpointVend, 'A_b', { ...flags, queue: ['a'] }), /slug: /],
    ['a reserved queue', () => run(endpointVend, 'a', { ...flags, queue: ['quarantine'] }), /quarantine/],
    ['a verb that there is none of', () => run(endpointVend, 'a', { ...flags, queue: ['a'], verb: ['rm'] }), /verbs/],
    [
      'a time without its zone',
      () => run(endpointVend, 'a', { ...flags, queue: ['a'], expiresAt: '2999-01-01' }),
      /--expires-at: given "2999-01-01"/,
    ],
    [
      'a day that there is none of',
      () => run(endpointVend, 'a', { ...flags, queue: ['a'], expiresAt: '2999-02-29T00:00Z' }),
      /--expires-at: given "2999-02-29T00:00Z"/,
    ],
    ['a time that is over', () => run(endpointVend, 'a', { ...flags, queue: ['a'], expiresAt: '2020-01-01T00:00:00Z' }), /expiresAt/],
    ['a lease that is none', () => run(endpointVend, 'a', { ...flags, queue: ['a'], lease: '5m' }), /--lease: given "5m"/],
    ['an endpoint that nobody made', () => run(endpointRevoke, 'nobody', flags), /no endpoint "nobody"/],
    [
      'a payload that is no JSON',
      () => run(todoPush, 'reviewer', 't', { ...flags, queue: 'a', payload: '{hunter2' }),
      /--payload: the 8 characters given are no JSON/,
    ],
    ['a queue out of its scope', () => run(todoPush, 'reviewer', 't', { ...flags, queue: 'b' }), /queue/],
    ['a state that there is none of', () => run(todoList, 'reviewer', { ...flags, state: 'lost' }), /state/],
    ['an id that nobody has', () => run(todoRetry, 'td_nobody', flags), /td_nobody/],
    ['a database inside a host', () => run(endpointList, { databaseUrl: 'memory:' }), /memory: lives inside the host/],
  ])('refuse %s in one line, with exit code 1', async (_what, command, message) => {
    await run(endpointVend, 'reviewer', { ...flags, queue: ['a'] });
    const { code, stdout, stderr } = await command();
    expect([code, stdout, stderr.trimEnd().split('\n').length]).toEqual([1, '', 1]);
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('hunter2');
  });

  it('say that there is no database, and create none but for an endpoint', async () => {
    const none = expect.stringMatching(/There is no database at .*\n$/);
    expect(await run(endpointList, flags)).toEqual({ code: 0, stdout: '', stderr: none });
    expect(await run(todoList, 'a', { ...flags, json: true })).toEqual({ code: 0, stdout: '[]\n', stderr: none });
    for (const act of [
      () => run(endpointRevoke, 'a', flags),
      () => run(todoPush, 'a', 't', { ...flags, queue: 'a' }),
      () => run(todoRetry, 'a', flags),
      () => run(stallExplain, 'a', 'a', flags),
    ]) {
      expect(await act()).toEqual({ code: 1, stdout: '', stderr: none });
    }
    expect(existsSync(join(folder, 'app.db'))).toBe(false);
    await run(endpointVend, 'reviewer', { ...flags, queue: ['a'] });
    expect(existsSync(join(folder, 'app.db'))).toBe(true);
  });
});

describe('the arguments of bellhop endpoint, todo and stall', () => {
  const line = new CommandLine();
  afterEach(() => line.end());

  it('are handed over, and refused where they fit no command', async () => {
    const database = ['--database-url', flags.databaseUrl];
    const vended = await line.run(['endpoint', 'vend', 'reviewer', '--queue', 'reviews', '--queue', 'a:b', '--json', ...database]);
    expect([vended.code, JSON.parse(vended.stdout).endpoint.queues]).toEqual([0, ['reviews', 'a:b']]);
    const [pushed, ...refused] = await Promise.all([
      line.run(['todo', 'push', 'reviewer', 'Look', '--queue', 'a:b', ...database]),
      line.run(['endpoint', 'vend', 'other', ...database]),
      line.run(['stall', 'explain', 'reviewer', ...database]),
    ]);
    expect(pushed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^td_/) });
    expect(refused.map(({ code, stderr }) => [code, stderr.split('\n')[0]])).toEqual([
      [1, expect.stringMatching(/required option '--queue <name>' not specified/)],
      [1, expect.stringMatching(/missing required argument 'queue'/)],
    ]);
  });
});
