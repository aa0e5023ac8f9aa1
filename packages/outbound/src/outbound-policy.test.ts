import { describe, expect, it } from 'vitest';
import { OutboundGuard } from './outbound-guard.js';
import { type OutboundPolicy, outboundPolicySchema } from './outbound-policy.js';

const admitted = async (policy: OutboundPolicy, address: string): Promise<boolean> => {
  const guard = new OutboundGuard({ policy, lookup: async () => [{ address, family: 0 }] });
  return guard.check('https://hook.example/').then(
    () => true,
    () => false,
  );
};

describe('the policy', () => {
  it('opens nothing by default', () => {
    expect(outboundPolicySchema.parse({})).toEqual({ allowHttp: false, allowCidrs: [] });
  });

  it('refuses a key it does not know', () => {
    expect(() => new OutboundGuard({ policy: { allowCidr: [] } as OutboundPolicy })).toThrow(/allowCidr/);
  });

  it('opens http only when told to', async () => {
    const lookup = async () => [{ address: '1.1.1.1', family: 4 }];
    const url = 'http://hook.example/';
    await expect(new OutboundGuard({ policy: {}, lookup }).check(url)).rejects.toThrow('BELLHOP_OUTBOUND_ALLOW_HTTP');
    expect((await new OutboundGuard({ policy: { allowHttp: true }, lookup }).check(url)).url.href).toBe(url);
    await expect(new OutboundGuard({ policy: { allowHttp: true }, lookup }).check('ftp://hook.example/')).rejects.toThrow('scheme');
  });

  it('opens localhost by either family of loopback', async () => {
    const addresses = async (allowCidrs: string[], url: string) =>
      (await new OutboundGuard({ policy: { allowCidrs } }).check(url)).addresses.map(({ address }) => address);
    expect(await addresses(['127.0.0.1/32'], 'https://localhost/')).toEqual(['127.0.0.1']);
    expect(await addresses(['::1/128'], 'https://app.localhost./')).toEqual(['::1']);
    expect(await addresses(['127.0.0.0/8', '::1/128'], 'https://localhost/')).toEqual(['127.0.0.1', '::1']);
    await expect(addresses(['127.0.0.2/32'], 'https://localhost/')).rejects.toThrow('loopback');
  });
});

const EVERYTHING = ['0.0.0.0/0', '::/0'];

describe('what an entry opens', () => {
  it.each([
    ['10.0.0.0/8', '10.9.8.7'],
    ['10.9.8.7/32', '10.9.8.7'],
    ['100.64.0.0/10', '100.64.0.1'],
    ['fd12:3456::/32', 'fd12:3456::1'],
    ['192.0.2.0/24', '192.0.2.1'],
    ['198.18.0.0/15', '198.18.0.1'],
    ['240.0.0.0/4', '240.0.0.1'],
    ['127.0.0.0/8', '127.0.0.1'],
    ['127.0.0.1/32', '127.0.0.1'],
    ['::1/128', '::1'],
    ['169.254.0.0/16', '169.254.1.1'],
    ['fe80::/10', 'fe80::1'],
    ['169.254.169.254/32', '169.254.169.254'],
    ['100.100.100.200/32', '100.100.100.200'],
    ['fd00:ec2::254/128', 'fd00:ec2::254'],
    ['0.0.0.0/0', '10.0.0.1'],
    ['::/0', 'fd00::1'],
  ])('%s opens %s', async (entry, address) => {
    expect(await admitted({}, address)).toBe(false);
    expect(await admitted({ allowCidrs: [entry] }, address)).toBe(true);
  });

  it.each([
    [['10.0.0.0/8'], '11.0.0.1', true], // a public neighbour, as the control
    [['10.0.0.0/8'], '172.16.0.1', false],
    [['10.9.8.7/32'], '10.9.8.8', false],
    [EVERYTHING, '127.0.0.1', false],
    [['126.0.0.0/7'], '127.0.0.1', false],
    [EVERYTHING, '::1', false],
    [['::/127'], '::1', false],
    [EVERYTHING, '169.254.1.1', false],
    [['169.254.0.0/15'], '169.254.1.1', false],
    [EVERYTHING, 'fe80::1', false],
    [['fe00::/9'], 'fe80::1', false],
    [EVERYTHING, '169.254.169.254', false],
    [['169.254.0.0/16'], '169.254.169.254', false],
    [['169.254.169.254/31'], '169.254.169.254', false],
    [['100.64.0.0/10'], '100.100.100.200', false],
    [['fd00::/8'], 'fd00:ec2::254', false],
    [['fd00:ec2::/32'], 'fd00:ec2::254', false],
    [['168.63.129.0/24'], '168.63.129.16', false],
    [EVERYTHING, '0.0.0.0', false],
    [EVERYTHING, '::', false],
    [EVERYTHING, '224.0.0.1', false],
    [EVERYTHING, '255.255.255.255', false],
    [EVERYTHING, '::ffff:127.0.0.1', false],
    [EVERYTHING, '::ffff:10.0.0.1', false],
    [EVERYTHING, '::127.0.0.1', false],
    [EVERYTHING, '2002:7f00:1::', false],
    [EVERYTHING, '2001:0:1::1', false],
  ])('%j lets %s through: %s', async (allowCidrs, address, expected) => {
    expect(await admitted({ allowCidrs }, address)).toBe(expected);
  });

  it.each([
    [['64:ff9b::/96'], '64:ff9b::8.8.8.8', true],
    [['64:ff9b::/96'], '64:ff9b::10.0.0.1', false],
    [['64:ff9b::/96', '10.0.0.0/8'], '64:ff9b::10.0.0.1', true],
    [['64:ff9b::/96', ...EVERYTHING], '64:ff9b::127.0.0.1', false],
    [['64:ff9b::/96', ...EVERYTHING], '64:ff9b::169.254.169.254', false],
    [['10.0.0.0/8'], '64:ff9b::10.0.0.1', false],
  ])('NAT64: %j lets %s through: %s', async (allowCidrs, address, expected) => {
    expect(await admitted({ allowCidrs }, address)).toBe(expected);
  });
});

describe('an entry that is refused', () => {
  it.each([
    ['10.0.0.0', 'is no CIDR range'],
    ['10.0.0.0/', 'is no CIDR range'],
    ['10.0.0.0/8/8', 'is no CIDR range'],
    ['10.0/8', 'is no CIDR range'],
    ['0x0a.0.0.0/8', 'is no CIDR range'],
    ['intranet/8', 'is no CIDR range'],
    ['fe80::1%eth0/128', 'is no CIDR range'],
    ['10.0.0.0/-1', 'is no CIDR range'],
    ['', 'is no CIDR range'],
    ['10.0.0.0/33', 'over 32'],
    ['fd00::/129', 'over 128'],
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['fd00::1/64', 'fd00::/64'],
    ['0.0.0.0/8', 'unspecified addresses, which cannot be opened'],
    ['224.0.0.0/4', 'multicast addresses, which cannot be opened'],
    ['255.255.255.255/32', 'broadcast addresses, which cannot be opened'],
    ['::ffff:10.0.0.0/104', 'IPv4-mapped addresses, which cannot be opened'],
    ['2002::/16', '6to4 addresses, which cannot be opened'],
  ])('%s', (entry, problem) => {
    const construct = () => new OutboundGuard({ policy: { allowCidrs: ['10.0.0.0/8', entry] } });
    expect(construct).toThrow(problem);
    expect(construct).toThrow(expect.objectContaining({ code: 'INVALID_INPUT', path: 'policy.allowCidrs.1' }));
    expect(outboundPolicySchema.safeParse({ allowCidrs: [entry] }).success).toBe(false);
  });
});
