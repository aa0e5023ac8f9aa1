/** Targets a guard with the default policy must refuse, beside close neighbours it must let through. One line is one case. */

export interface SsrfCase {
  readonly url: string;
  /** What the host resolves to; a literal is never looked up. */
  readonly answers?: readonly string[];
  /** The class that the refusal names, or a part of its text. */
  readonly refused: string;
}

export interface AllowedCase {
  readonly url: string;
  readonly answers?: readonly string[];
  /** The addresses that may be dialled. */
  readonly addresses: readonly string[];
}

const literal = (refused: string, ...urls: string[]): SsrfCase[] => urls.map((url) => ({ url, refused }));
const named = (refused: string, ...answers: (string | readonly string[])[]): SsrfCase[] =>
  answers.map((answer) => ({ url: 'https://hook.example/', answers: typeof answer === 'string' ? [answer] : answer, refused }));

export const LITERALS: readonly SsrfCase[] = [
  ...literal(
    'loopback',
    'https://127.0.0.1/',
    'https://127.255.255.254/',
    'https://127.1/',
    'https://127.0.1/',
    'https://127.0.0.1./',
    'https://2130706433/',
    'https://017700000001/',
    'https://0x7f000001/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://0X7F.0x0.0.01/',
    'https://%31%32%37.0.0.1/',
    'https://１２７.０.０.１/',
    'https://127。0。0。1/',
    'https://127.0.0.1\\@example.com/',
    'https://[::1]/',
    'https://[0:0:0:0:0:0:0:1]/',
    'https://[0000:0000:0000:0000:0000:0000:0000:0001]:8443/',
    'https://localhost/',
    'https://LOCALHOST/',
    'https://localhost./',
    'https://app.localhost/',
    'https://a.b.localhost./',
  ),
  ...literal(
    'private',
    'https://10.0.0.1/',
    'https://10.255.255.255/',
    'https://172.16.0.1/',
    'https://172.31.255.255/',
    'https://192.168.0.1/',
    'https://3232235777/',
    'https://0xc0a80101/',
    'https://012.1/',
  ),
  ...literal('link-local', 'https://169.254.0.1/', 'https://[fe80::1]/', 'https://[febf::1]/'),
  ...literal(
    'cloud metadata',
    'https://169.254.169.254/latest/meta-data/',
    'https://2852039166/',
    'https://0xa9fea9fe/',
    'https://0251.0376.0251.0376/',
    'https://169.254.170.2/',
    'https://100.100.100.200/',
    'https://168.63.129.16/',
    'https://192.0.0.192/',
    'https://[fd00:ec2::254]/',
    'https://[fd20:ce::254]/',
  ),
  ...literal('unique local', 'https://[fc00::1]/', 'https://[fd12:3456:789a::1]/'),
  ...literal('carrier-grade NAT', 'https://100.64.0.1/', 'https://100.127.255.255/'),
  ...literal('unspecified', 'https://0.0.0.0/', 'https://0/', 'https://0.1.2.3/', 'https://[::]/'),
  ...literal('multicast', 'https://224.0.0.1/', 'https://239.255.255.250/', 'https://[ff02::1]/', 'https://[ff0e::1]/'),
  ...literal('broadcast', 'https://255.255.255.255/', 'https://4294967295/'),
  ...literal(
    'documentation',
    'https://192.0.2.1/',
    'https://198.51.100.1/',
    'https://203.0.113.1/',
    'https://[2001:db8::1]/',
    'https://[3fff::1]/',
  ),
  ...literal('benchmarking', 'https://198.18.0.1/', 'https://198.19.255.255/', 'https://[2001:2::1]/'),
  ...literal(
    'reserved',
    'https://192.0.0.1/',
    'https://192.88.99.1/',
    'https://240.0.0.1/',
    'https://[100::1]/',
    'https://[fec0::1]/',
    'https://[4000::1]/',
    'https://[5f00::1]/',
    'https://[2001:10::1]/',
  ),
  ...literal(
    'IPv4-mapped',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::ffff:8.8.8.8]/',
    'https://[0:0:0:0:0:ffff:a9fe:a9fe]/',
  ),
  ...literal('IPv4-compatible', 'https://[::127.0.0.1]/', 'https://[::8.8.8.8]/'),
  ...literal('IPv4-translated', 'https://[::ffff:0:127.0.0.1]/', 'https://[64:ff9b:1::7f00:1]/'),
  ...literal('NAT64', 'https://[64:ff9b::7f00:1]/', 'https://[64:ff9b::169.254.169.254]/'),
  ...literal('6to4', 'https://[2002:7f00:1::]/', 'https://[2002:a9fe:a9fe::1]/'),
  ...literal('Teredo', 'https://[2001:0:4136:e378:8000:63bf:80ff:fffe]/'),
];

export const DNS_ANSWERS: readonly SsrfCase[] = [
  ...named('loopback', '127.0.0.1', '::1', ['8.8.8.8', '127.0.0.1'], ['127.0.0.1', '8.8.8.8'], ['2606:4700::1', '8.8.8.8', '::1']),
  ...named('private', '10.1.2.3', '172.20.0.1', '192.168.1.1', ['1.1.1.1', '1.0.0.1', '10.0.0.1']),
  ...named('link-local', '169.254.1.1', 'fe80::1', 'fe80::1%eth0'),
  ...named('cloud metadata', '169.254.169.254', '100.100.100.200', 'fd00:ec2::254', 'fd00:0ec2:0:0::0254', 'fe80::a9fe:a9fe%2'),
  ...named('unique local', 'fd00::1'),
  ...named('carrier-grade NAT', '100.64.0.1'),
  ...named('unspecified', '0.0.0.0', '::'),
  ...named('multicast', '224.0.0.251'),
  ...named('broadcast', '255.255.255.255'),
  ...named('IPv4-mapped', '::ffff:10.0.0.1', '::ffff:8.8.8.8'),
  ...named('NAT64', '64:ff9b::10.0.0.1', '64:ff9b::8.8.8.8'),
  ...named('no IP address', 'localhost', '127.1', '0x7f000001', ''),
  { url: 'https://localtest.me./x?y=z', answers: ['127.0.0.1'], refused: 'loopback' },
  { url: 'https://metadata.google.internal/computeMetadata/v1/', answers: ['169.254.169.254'], refused: 'cloud metadata' },
  { url: 'https://bücher.example/', answers: ['192.168.0.9'], refused: 'private' },
];

export const MALFORMED: readonly SsrfCase[] = [
  ...literal(
    'scheme',
    'http://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'gopher://example.com/',
    'data:text/html,x',
    'ws://example.com/',
  ),
  ...literal(
    'user name or password',
    'https://user@example.com/',
    'https://user:pass@example.com/',
    'https://:pass@example.com/',
    'https://8.8.8.8@127.0.0.1/',
  ),
  ...literal(
    'no absolute URL',
    '/hook',
    'example.com',
    '//example.com/',
    'https://',
    'https://1.2.3.4.5/',
    'https://256.0.0.1/',
    'https://[::1/',
    'https://[fe80::1%25eth0]/',
  ),
  ...literal(
    'blanks or control',
    ' https://example.com/',
    'https://exa\tmple.com/',
    'https://example.com/\n',
    'https://example.com/\u0000',
  ),
  ...literal('empty part', 'https://example.com../', 'https://./', 'https://a..b/'),
  ...literal('port', 'https://example.com:0/'),
  ...literal('characters', `https://example.com/${'x'.repeat(2_029)}`),
  ...literal('a text with a URL', ''),
];

export const ALLOWED: readonly AllowedCase[] = [
  { url: 'https://8.8.8.8/', addresses: ['8.8.8.8'] },
  { url: 'https://134744072/', addresses: ['8.8.8.8'] },
  { url: 'https://126.255.255.255/', addresses: ['126.255.255.255'] },
  { url: 'https://128.0.0.1/', addresses: ['128.0.0.1'] },
  { url: 'https://172.15.255.255/', addresses: ['172.15.255.255'] },
  { url: 'https://172.32.0.1/', addresses: ['172.32.0.1'] },
  { url: 'https://100.63.255.255/', addresses: ['100.63.255.255'] },
  { url: 'https://100.128.0.1/', addresses: ['100.128.0.1'] },
  { url: 'https://169.253.255.255/', addresses: ['169.253.255.255'] },
  { url: 'https://168.63.129.17/', addresses: ['168.63.129.17'] },
  { url: 'https://223.255.255.255/', addresses: ['223.255.255.255'] },
  { url: 'https://[2606:4700:4700::1111]/', addresses: ['2606:4700:4700::1111'] },
  { url: 'https://hook.example/a?b=c', answers: ['1.1.1.1'], addresses: ['1.1.1.1'] },
  { url: 'https://hook.example:8443/', answers: ['1.1.1.1', '2606:4700::1'], addresses: ['1.1.1.1', '2606:4700::1'] },
  { url: 'https://notlocalhost/', answers: ['1.1.1.1'], addresses: ['1.1.1.1'] },
  { url: 'https://localhost.example/', answers: ['1.1.1.1'], addresses: ['1.1.1.1'] },
  { url: 'https://127.0.0.1.example/', answers: ['1.1.1.1'], addresses: ['1.1.1.1'] },
  { url: 'https://example.com\\@127.0.0.1/', answers: ['1.1.1.1'], addresses: ['1.1.1.1'] },
  { url: `https://example.com/${'x'.repeat(2_028)}`, answers: ['1.1.1.1'], addresses: ['1.1.1.1'] },
];
