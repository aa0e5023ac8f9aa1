import { ManualClock } from '@bellhop/testing/manual-clock';
import { describe, expect, it } from 'vitest';
import type { AddressLookup } from './address-lookup.js';
import { LookupFailure, OutboundRefusal } from './outbound-errors.js';
import { OutboundGuard } from './outbound-guard.js';
import { ALLOWED, DNS_ANSWERS, LITERALS, MALFORMED } from './ssrf-cases.fixture.js';

/** A resolver with one answer, which notes what it was asked. */
function resolver(answers: readonly string[] | undefined) {
  const asked: string[] = [];
  const lookup: AddressLookup = async (host) => {
    asked.push(host);
    if (answers === undefined) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' });
    return answers.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  return { asked, lookup };
}

const refusalOf = (check: Promise<unknown>) =>
  check.then(
    () => 'allowed',
    (error: unknown) => error,
  );

describe('the table of targets', () => {
  it('has at least 60 cases that are refused, and controls', () => {
    expect(LITERALS.length + DNS_ANSWERS.length).toBeGreaterThanOrEqual(60);
    expect(ALLOWED.length).toBeGreaterThanOrEqual(15);
  });

  it.each([...LITERALS, ...MALFORMED])('refuses $url without asking a resolver: $refused', async ({ url, refused }) => {
    const { asked, lookup } = resolver(['8.8.8.8']);
    const error = await refusalOf(new OutboundGuard({ policy: {}, lookup }).check(url));
    expect(error).toBeInstanceOf(OutboundRefusal);
    expect(error).toMatchObject({ code: 'INVALID_INPUT', path: 'url', message: expect.stringContaining(refused) });
    expect(asked).toEqual([]);
  });

  it.each(DNS_ANSWERS)('refuses $url that leads to $answers: $refused', async ({ url, answers, refused }) => {
    const { asked, lookup } = resolver(answers);
    const error = await refusalOf(new OutboundGuard({ policy: {}, lookup }).check(url));
    expect(error).toBeInstanceOf(OutboundRefusal);
    expect(error).toMatchObject({ code: 'INVALID_INPUT', path: 'url', message: expect.stringContaining(refused) });
    expect(asked).toHaveLength(1);
  });

  it.each(ALLOWED)('lets $url through to $addresses', async ({ url, answers, addresses }) => {
    const target = await new OutboundGuard({ policy: {}, lookup: resolver(answers).lookup }).check(url);
    expect(target.addresses).toEqual(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
  });
});

describe('what a checked target is', () => {
  it('has no fragment, and a host without its trailing dot', async () => {
    const { asked, lookup } = resolver(['1.1.1.1']);
    const { url } = await new OutboundGuard({ policy: {}, lookup }).check('https://Hook.Example.:8443/a?b=c#d');
    expect(url.href).toBe('https://hook.example:8443/a?b=c');
    expect(asked).toEqual(['hook.example']);
  });

  it('takes the family from the address, whatever the resolver says', async () => {
    const lookup = async () => [{ address: '2606:4700::1', family: 4 }];
    const { addresses } = await new OutboundGuard({ policy: {}, lookup }).check('https://hook.example/');
    expect(addresses).toEqual([{ address: '2606:4700::1', family: 6 }]);
  });
});

describe('what a refusal tells', () => {
  it.each([
    'http://hook.example/?token=s3cret',
    'https://user:s3cret@hook.example/?token=s3cret',
    'https://hook.example/?token=s3cret x',
    'https://hook.example/?token=s3cret#s3cret',
    'https://127.0.0.1/?token=s3cret',
  ])('nothing of the query or of credentials: %s', async (url) => {
    const error = await refusalOf(new OutboundGuard({ policy: {}, lookup: resolver(['10.0.0.7']).lookup }).check(url));
    expect(error).toBeInstanceOf(OutboundRefusal);
    expect(String(error)).not.toContain('s3cret');
  });

  it('not where a name leads', async () => {
    const error = await refusalOf(new OutboundGuard({ policy: {}, lookup: resolver(['10.0.0.7']).lookup }).check('https://hook.example/'));
    expect(String(error)).toContain('private');
    expect(String(error)).not.toContain('10.0.0.7');
  });
});

describe('a lookup that fails', () => {
  it.each([
    ['the name is unknown', resolver(undefined).lookup],
    ['it answers no address', resolver([]).lookup],
    [
      'the resolver throws at once',
      () => {
        throw new Error('broken');
      },
    ],
  ])('is no refusal: %s', async (_title, lookup) => {
    const error = await refusalOf(new OutboundGuard({ policy: {}, lookup }).check('https://hook.example/?token=s3cret'));
    expect(error).toBeInstanceOf(LookupFailure);
    expect(error).not.toBeInstanceOf(OutboundRefusal);
    expect(String(error)).not.toContain('s3cret');
  });

  it('is one that takes longer than 10 s', async () => {
    const clock = new ManualClock();
    const guard = new OutboundGuard({ policy: {}, clock, lookup: () => new Promise(() => {}) });
    let ended: unknown;
    const check = refusalOf(guard.check('https://hook.example/')).then((error) => {
      ended = error;
    });
    await clock.advance(9_999);
    expect(ended).toBeUndefined();
    await clock.advance(1);
    await check;
    expect(ended).toBeInstanceOf(LookupFailure);
  });
});

describe('the default lookup', () => {
  it('asks DNS by itself, not the threads of the process', async () => {
    // With a label too long for DNS, so that no server is asked; getaddrinfo would be named in the message.
    const error = await refusalOf(new OutboundGuard({ policy: {} }).check(`https://${'x'.repeat(64)}.invalid/`));
    expect(error).toBeInstanceOf(LookupFailure);
    expect(String(error)).toContain('queryA EBADNAME');
  });
});
