import { describe, expect, it } from 'vitest';
import { ClientAddresses, proxyProblem } from './client-address.js';

const PROXIES = ['10.0.0.0/8', '192.0.2.7', 'fd00::/8'];

describe('the address that a request is counted to', () => {
  it.each<[what: string, socket: string | undefined, header: string | undefined, counted: string]>([
    ['the socket’s, where nothing was forwarded', '203.0.113.9', undefined, '203.0.113.9'],
    ['the socket’s, whatever one that is no proxy of ours says', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['a proxy’s own, where it says nothing', '10.0.0.1', undefined, '10.0.0.1'],
    ['whom a proxy names', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['whom the nearest proxy names, not what the sender wrote before it', '10.0.0.1', '127.0.0.1, 198.51.100.1', '198.51.100.1'],
    ['whom the farthest of several proxies names', '10.0.0.1', '203.0.113.5, 198.51.100.1, 192.0.2.7 , 10.9.9.9', '198.51.100.1'],
    ['the farthest, where all are proxies', '10.0.0.1', '10.0.0.3,10.0.0.2', '10.0.0.3'],
    ['a proxy’s, where it names what is no address', '10.0.0.1', '198.51.100.1, unknown', '10.0.0.1'],
    ['a proxy’s, where it names nothing', '10.0.0.1', '', '10.0.0.1'],
    ['one with a port', '10.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
    ['an IPv6 one', 'fd00::1', '2001:db8::5', '2001:db8::5'],
    ['an IPv6 one in brackets', '10.0.0.1', '[2001:db8::5]', '2001:db8::5'],
    ['an IPv6 one with a port', '10.0.0.1', '[2001:db8::5]:443', '2001:db8::5'],
    ['whom a proxy names whose address is written as IPv6', '::ffff:10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['whom a proxy names that is on a link', 'fd00::1%eth0', '198.51.100.1', '198.51.100.1'],
    ['nobody’s, of a socket that is closed', undefined, '198.51.100.1', 'unknown'],
    ['no farther than twenty proxies away', '10.0.0.1', ['198.51.100.1', ...Array<string>(20).fill('10.0.0.2')].join(), '10.0.0.2'],
    ['twenty proxies away', '10.0.0.1', ['198.51.100.1', ...Array<string>(19).fill('10.0.0.2')].join(), '198.51.100.1'],
  ])('is %s', (_what, socket, header, counted) => {
    expect(new ClientAddresses(PROXIES).of(socket, header)).toBe(counted);
  });

  it('is the socket’s where no proxy is trusted', () => {
    expect(new ClientAddresses().of('10.0.0.1', '198.51.100.1')).toBe('10.0.0.1');
  });
});

describe('a trusted proxy', () => {
  it.each(['10.0.0.5', '10.20.0.0/16', '::1', 'fd12:3456::/48', '0.0.0.0/0', '1.2.3.4/32', '::1/128'])('may be %s', (text) => {
    expect(proxyProblem(text)).toBeUndefined();
    new ClientAddresses([text]);
  });

  it.each(['', 'proxy', '10.0.0', '10.0.0.5/33', '10.0.0.5/', '10.0.0.5/8/8', '10.0.0.5/a', '::1/129', 'fe80::1%eth0', '1.2.3.4:80'])(
    'is not %j',
    (text) => {
      expect(proxyProblem(text)).toContain(JSON.stringify(text));
    },
  );
});
