/** The default lookup, against a DNS server on this machine and a hosts file of the test's own. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '@bellhop/kernel';
import { ManualClock } from '@bellhop/testing/manual-clock';
import { afterEach, describe, expect, it } from 'vitest';
import { dnsLookup } from './dns-lookup.js';
import { DnsServer, type Zone } from './dns-server.fixture.js';
import { OutboundClient } from './outbound-client.js';
import { LookupFailure, OutboundRefusal } from './outbound-errors.js';
import { OutboundGuard } from './outbound-guard.js';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const ZONE: Zone = {
  'both.example': { A: ['1.1.1.1', '1.0.0.1'], AAAA: ['2606:4700::1'] },
  'four.example': { A: ['1.1.1.1'] },
  'six.example': { AAAA: ['2606:4700::1'] },
  'none.example': {},
  'silent.example': { A: 'silent', AAAA: 'silent' },
  'lame-four.example': { A: 'silent', AAAA: ['2606:4700::1'] },
  'lame-six.example': { A: ['1.1.1.1'], AAAA: 'silent' },
  'private.example': { A: ['1.1.1.1'], AAAA: ['fd00::1'] },
};

/** A manual clock that tells when a timer of so many milliseconds is armed. */
class WatchedClock extends ManualClock {
  private readonly watched: { readonly delayMs: number; readonly seen: () => void }[] = [];

  whenArmed(delayMs: number): Promise<void> {
    return new Promise((seen) => this.watched.push({ delayMs, seen }));
  }

  override setTimeout(...[fn, delayMs]: Parameters<Clock['setTimeout']>) {
    for (const watch of this.watched) if (watch.delayMs === delayMs) watch.seen();
    return super.setTimeout(fn, delayMs);
  }
}

async function looking({ zone = ZONE, hosts = '' }: { zone?: Zone; hosts?: string } = {}) {
  const server = await DnsServer.open(zone);
  closing.push(() => server.close());
  const folder = await mkdtemp(join(tmpdir(), 'hosts-'));
  closing.push(() => rm(folder, { recursive: true }));
  const hostsFile = join(folder, 'hosts');
  await writeFile(hostsFile, hosts);
  const clock = new WatchedClock();
  const guard = new OutboundGuard({ policy: {}, clock, lookup: dnsLookup({ clock, servers: server.servers, hostsFile }) });
  const addresses = async (host: string, signal?: AbortSignal) =>
    (await guard.check(`https://${host}/`, signal)).addresses.map(({ address }) => address);
  return { server, clock, hostsFile, addresses };
}

const bothQuestions = (hosts: readonly string[]) => hosts.flatMap((host) => [`A ${host}`, `AAAA ${host}`]);
const errorOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    (error: unknown) => error,
  );

describe('an answer', () => {
  it.each([
    ['both.example', ['1.1.1.1', '1.0.0.1', '2606:4700::1']],
    ['four.example', ['1.1.1.1']],
    ['six.example', ['2606:4700::1']],
  ])('of %s is what each family has', async (host, expected) => {
    const { server, addresses } = await looking();
    expect(await addresses(host)).toEqual(expected);
    expect([...server.asked].sort()).toEqual(bothQuestions([host]));
  });

  it.each([
    ['lame-four.example', ['2606:4700::1']],
    ['lame-six.example', ['1.1.1.1']],
  ])('of one family waits 1 s for the other: %s', async (host, expected) => {
    const { clock, addresses } = await looking();
    let found: readonly string[] | undefined;
    const armed = clock.whenArmed(1_000);
    const check = addresses(host).then((answer) => {
      found = answer;
    });
    await armed;
    await clock.advance(999);
    expect(found).toBeUndefined();
    await clock.advance(1);
    await check;
    expect(found).toEqual(expected);
  });

  it('is checked in both families', async () => {
    const { addresses } = await looking();
    expect(await errorOf(addresses('private.example'))).toBeInstanceOf(OutboundRefusal);
  });

  it.each([
    ['does not exist', 'unknown.example', 'ENOTFOUND'],
    ['has no address', 'none.example', 'has no address'],
  ])('that the name %s is a failed lookup', async (_title, host, told) => {
    const { addresses } = await looking();
    const error = await errorOf(addresses(host));
    expect(error).toBeInstanceOf(LookupFailure);
    expect(String(error)).toContain(told);
  });
});

describe('a name whose DNS is silent', () => {
  const silent = Array.from({ length: 20 }, (_, index) => `silent-${index}.example`);
  const zone: Zone = { ...ZONE, ...Object.fromEntries(silent.map((host) => [host, ZONE['silent.example']!])) };

  it('delays no other: with 20 of them under way, one that is answered is found', async () => {
    const { server, addresses } = await looking({ zone });
    const endings = silent.map(() => new AbortController());
    const ended: string[] = [];
    const checks = silent.map((host, index) => errorOf(addresses(host, endings[index]!.signal)).finally(() => ended.push(host)));
    await server.heard(bothQuestions(silent));
    expect(await addresses('both.example')).toHaveLength(3);
    expect(ended).toEqual([]);
    for (const ending of endings) ending.abort();
    await Promise.all(checks);
    expect(ended).toHaveLength(20);
  });

  it('is let go when the time of the call is over', async () => {
    const { server, clock } = await looking();
    const { lookup, outcome } = watchedLookup(clock, server);
    const client = new OutboundClient({ guard: new OutboundGuard({ policy: {}, clock, lookup }), clock });
    const call = client.send({ url: 'https://silent.example/', method: 'POST', headers: {}, body: '', timeoutMs: 500 });
    await server.heard(bothQuestions(['silent.example']));
    await clock.advance(499);
    expect(outcome.error).toBeUndefined();
    await clock.advance(1);
    expect(await call).toMatchObject({ kind: 'failed', cause: 'timeout' });
    await outcome.settled;
    expect(outcome.error).toMatchObject({ code: 'ECANCELLED' });
  });

  it('is let go after 10 s, when nothing else ends it', async () => {
    const { server, clock } = await looking();
    const { lookup, outcome } = watchedLookup(clock, server);
    const check = errorOf(new OutboundGuard({ policy: {}, clock, lookup }).check('https://silent.example/'));
    await server.heard(bothQuestions(['silent.example']));
    await clock.advance(10_000);
    expect(String(await check)).toContain('within 10 s');
    await outcome.settled;
    expect(outcome.error).toMatchObject({ code: 'ECANCELLED' });
  });
});

/** The default lookup, and how its next use ends. */
function watchedLookup(clock: Clock, { servers }: DnsServer) {
  const lookup = dnsLookup({ clock, servers, hostsFile: join(tmpdir(), 'no-such-folder', 'hosts') });
  const outcome: { error?: unknown; settled?: Promise<unknown> } = {};
  const watched: typeof lookup = (host, signal) => {
    const work = lookup(host, signal);
    outcome.settled = errorOf(work).then((error) => {
      outcome.error = error;
    });
    return work;
  };
  return { lookup: watched, outcome };
}

describe('a name in the hosts file', () => {
  it('leads there, and DNS is not asked', async () => {
    const { server, addresses } = await looking({ hosts: '8.8.8.8 both.example\n2001:4860:4860::8888 both.example\n' });
    expect(await addresses('both.example')).toEqual(['8.8.8.8', '2001:4860:4860::8888']);
    expect([...server.asked]).toEqual([]);
    expect(await addresses('four.example')).toEqual(['1.1.1.1']);
    expect([...server.asked].sort()).toEqual(bothQuestions(['four.example']));
  });

  it('is checked as any other', async () => {
    const { addresses } = await looking({ hosts: '10.0.0.7 inside.example\n' });
    expect(await errorOf(addresses('inside.example'))).toBeInstanceOf(OutboundRefusal);
  });

  it('is read again when the file was changed', async () => {
    const { hostsFile, addresses } = await looking({ hosts: '8.8.8.8 hook.example\n' });
    expect(await addresses('hook.example')).toEqual(['8.8.8.8']);
    await writeFile(hostsFile, '8.8.8.8 other.example\n9.9.9.9 hook.example\n');
    expect(await addresses('hook.example')).toEqual(['9.9.9.9']);
    await rm(hostsFile);
    expect(await errorOf(addresses('hook.example'))).toBeInstanceOf(LookupFailure);
  });
});
