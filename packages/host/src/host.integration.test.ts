import { request } from 'node:http';
import { STORE } from '@bellhop/contracts';
import { type KernelPlugin, silentLogger } from '@bellhop/kernel';
import { REAPER } from '@bellhop/reaper';
import { NOTIFICATION_DISPATCHER } from '@bellhop/service-messaging';
import { QUEUE_WORKER } from '@bellhop/service-queue';
import { ManualClock } from '@bellhop/testing';
import { describe, expect, it } from 'vitest';
import { createHost, type Host } from './host.js';
import { ROOT_KEY, runHost } from './running-host.fixture.js';

/** What runs in a host by itself. */
const loopsOf = ({ kernel }: Host) =>
  [kernel.resolve(NOTIFICATION_DISPATCHER), kernel.resolve(QUEUE_WORKER), kernel.resolve(REAPER)] as const;
const settled = async (loops: ReturnType<typeof loopsOf>): Promise<void> => {
  for (const loop of loops) await loop.settled();
};

describe('an idle host', () => {
  it('[budget] asks its database what its loops ask, each one question per idle interval, and writes nothing', async () => {
    const clock = new ManualClock();
    const { host, call } = await runHost({}, { clock });
    await call('POST', '/v1/notifications', { body: { topic: 't', audience: 'ada' } });
    const loops = loopsOf(host);
    await settled(loops);
    const { meter } = host.kernel.resolve(STORE);
    meter.reset();
    const ticksBefore = loops.map((loop) => loop.counters().ticks);
    await clock.runFor(600_000, { settle: () => settled(loops) });
    const { byLabel, writes, transactions } = meter.snapshot();
    const asked = ['outbox.survey', 'queue.survey', 'reaper.ask'];
    expect(Object.keys(byLabel).sort()).toEqual(asked);
    expect({ writes, transactions }).toEqual({ writes: 0, transactions: 0 });
    for (const [index, loop] of loops.entries()) {
      const statements = byLabel[asked[index] as string]?.statements;
      expect(statements).toBe(loop.counters().ticks - (ticksBefore[index] as number));
      expect(statements).toBeLessThanOrEqual(24);
    }
    // Control: a scrape is what costs four statements more, when it happens.
    await call('GET', '/metrics');
    expect(Object.keys(meter.snapshot().byLabel).sort()).toEqual([
      'board.counts',
      'host.oldest_dead',
      'host.oldest_due',
      ...asked,
      'stall.countExhausted',
    ]);
    await host.stop();
  });

  it('logs nothing', async () => {
    const clock = new ManualClock();
    const lines: string[] = [];
    const log = (_fields: object, message: string) => void lines.push(message);
    const logger = { debug() {}, info: log, warn: log, error: log, child: () => logger };
    const { host } = await runHost({}, { clock, logger });
    const loops = loopsOf(host);
    expect(lines).toContain('listening');
    lines.length = 0;
    await clock.runFor(600_000, { settle: () => settled(loops) });
    expect(lines).toEqual([]);
    await host.stop();
  });
});

describe('start', () => {
  it('answers 503 while the kernel is starting, and serves after it', async () => {
    let release = () => {};
    const slow: KernelPlugin = { name: 'slow', start: () => new Promise<void>((resolve) => (release = resolve)) };
    const host = createHost({ database: { url: 'memory:' }, port: 0, apiKey: ROOT_KEY, plugins: [slow] });
    const started = host.start();
    while (host.kernel.health && (await host.kernel.health()).plugins['service-messaging']?.status !== 'ok')
      await new Promise(setImmediate);
    const early = await fetch(`${host.url}/healthz`);
    expect([early.status, early.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await early.json()).toEqual({ error: { code: 'STARTING', message: 'This host is starting. Try again.' } });
    release();
    await started;
    expect((await fetch(`${host.url}/healthz`)).status).toBe(200);
    await host.stop();
  });

  it('that fails stops what had begun and frees the port', async () => {
    const stopped: string[] = [];
    const failing: KernelPlugin[] = [
      { name: 'first', stop: () => void stopped.push('first') },
      {
        name: 'second',
        after: ['first', 'service-messaging'],
        start() {
          throw new Error('no licence');
        },
      },
    ];
    const { host: probe } = await runHost();
    const port = Number(new URL(probe.url).port);
    await probe.stop();
    const host = createHost({ database: { url: 'memory:' }, port, plugins: failing });
    await expect(host.start()).rejects.toMatchObject({ code: 'PLUGIN_FAILED' });
    expect(stopped).toEqual(['first']);
    const again = createHost({ database: { url: 'memory:' }, port });
    await again.start();
    await again.stop();
  });

  it('refuses options that are not allowed before anything begins', () => {
    expect(() => createHost({ prot: 1 } as never)).toThrow(/host: unknown option prot; allowed: database, host, port/);
    expect(() => createHost({ apiKey: 'two words' })).toThrow(/printable ASCII characters without spaces/);
  });

  it('gives each host its own kernel, keys and metrics', async () => {
    const [one, other] = [await runHost({ apiKey: 'one' }), await runHost({ apiKey: 'other' })];
    expect((await one.call('GET', '/v1/deliveries', { key: 'one' })).status).toBe(200);
    expect((await other.call('GET', '/v1/deliveries', { key: 'one' })).status).toBe(401);
    await one.host.stop();
    expect((await other.call('GET', '/v1/deliveries', { key: 'other' })).status).toBe(200);
    await other.host.stop();
  });
});

describe('stop', () => {
  it('lets a request that runs end, in full, and does not wait for connections that are kept alive', async () => {
    const { host } = await runHost();
    // A connection that stays open after its answer, as browsers keep them.
    await (await fetch(`${host.url}/healthz`)).text();
    const running = request(`${host.url}/v1/notifications`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${ROOT_KEY}`, 'Content-Type': 'application/json', Connection: 'keep-alive' },
    });
    const answered = new Promise<number | undefined>((resolve) =>
      running.on('response', (response) => resolve(response.resume().statusCode)),
    );
    await new Promise<void>((resolve) => running.write('{"topic":"t",', () => resolve()));
    // The server has the first half once it answers on another connection.
    await fetch(`${host.url}/healthz`);
    const stopped = host.stop();
    running.end('"audience":"ada"}');
    expect(await answered).toBe(202);
    await stopped;
    await expect(fetch(`${host.url}/healthz`)).rejects.toThrow();
  });

  it('cuts off a request that does not end, at its deadline', async () => {
    const clock = new ManualClock();
    const { host } = await runHost({}, { clock });
    const { url } = host;
    const stuck = request(`${url}/v1/notifications`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${ROOT_KEY}`, 'Content-Type': 'application/json' },
    });
    const cut = new Promise<Error>((resolve) => stuck.on('error', resolve));
    await new Promise<void>((resolve) => stuck.write('{', () => resolve()));
    await fetch(`${url}/healthz`);
    const stopped = host.stop();
    await clock.advance(2_000);
    await stopped;
    expect(await cut).toBeInstanceOf(Error);
  });

  it('is idempotent, and safe before a start', async () => {
    const { host } = await runHost({}, { logger: silentLogger });
    await Promise.all([host.stop(), host.stop()]);
    const never = createHost({ database: { url: 'memory:' }, port: 0 });
    expect(() => never.url).toThrow(/no address yet/);
    await never.stop();
    await expect(never.start()).rejects.toMatchObject({ code: 'KERNEL_STATE' });
    await expect(fetch(never.url)).rejects.toThrow();
  });
});

describe('trusted proxies', () => {
  /** What is answered to one who sent junk for as long as it was let, and then to another, both through this machine. */
  async function answers(options: { readonly trustedProxies?: readonly string[] }): Promise<number[]> {
    const { host } = await runHost(options, { clock: new ManualClock() });
    const post = async (sender: string) => {
      const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': sender };
      return (await fetch(`${host.url}/webhooks/w/junk`, { method: 'POST', headers, body: '{}' })).status;
    };
    for (let n = 0; n < 20; n += 1) expect(await post('198.51.100.1')).toBe(404);
    const found = [await post('198.51.100.1'), await post('203.0.113.9')];
    await host.stop();
    return found;
  }

  it('tell senders of inbound events apart: one who sends junk keeps nobody else out', async () => {
    expect(await answers({ trustedProxies: ['127.0.0.1'] })).toEqual([429, 404]);
    // The control: without them everybody is this machine.
    expect(await answers({})).toEqual([429, 429]);
  });
});
