import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Environment, type Flags, readSettings } from './settings.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bellhop-config-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
}

const read = (flags: Flags = {}, environment: Environment = {}) => readSettings(flags, environment, folder);

async function refused(flags: Flags = {}, environment: Environment = {}): Promise<string> {
  const error = await read(flags, environment).then(
    () => undefined,
    (thrown: { code?: string; message: string }) => thrown,
  );
  expect(error?.code).toBe('CONFIG');
  return error?.message ?? '';
}

describe('precedence', () => {
  it('has defaults for everything', async () => {
    const { databaseUrl, options, configFile } = await read();
    expect(databaseUrl).toBe('file:.bellhop/bellhop.db');
    expect(options).toEqual({ database: { url: 'file:.bellhop/bellhop.db' }, host: undefined, port: undefined, apiKey: undefined });
    expect(configFile).toBeUndefined();
  });

  it('takes flags over environment over file over defaults', async () => {
    write('bellhop.config.json', JSON.stringify({ database: { url: 'file:file.db', authToken: 'f' }, port: 1, host: '10.0.0.1' }));
    const environment = {
      BELLHOP_DATABASE_URL: 'file:env.db',
      BELLHOP_DATABASE_AUTH_TOKEN: 'e',
      PORT: '2',
      HOST: '10.0.0.2',
      BELLHOP_API_KEY: 'the-root-key',
    };
    const flags = { databaseUrl: 'file:flag.db', port: '3', host: '10.0.0.3' };
    expect((await read()).options).toMatchObject({ database: { url: 'file:file.db', authToken: 'f' }, port: 1, host: '10.0.0.1' });
    expect((await read({}, environment)).options).toMatchObject({
      database: { url: 'file:env.db', authToken: 'e' },
      port: 2,
      host: '10.0.0.2',
      apiKey: 'the-root-key',
    });
    expect((await read(flags, environment)).options).toMatchObject({ database: { url: 'file:flag.db' }, port: 3, host: '10.0.0.3' });
  });

  it('takes an empty variable for an absent one, as composed environments write it', async () => {
    const { options, databaseUrl } = await read({}, { PORT: '', BELLHOP_API_KEY: '', BELLHOP_DATABASE_URL: '', HOST: '' });
    expect(options).toMatchObject({ port: undefined, apiKey: undefined, host: undefined });
    expect(databaseUrl).toBe('file:.bellhop/bellhop.db');
  });

  it.each([
    ['--port', { port: '70000' }, {}, /^--port: given "70000"; allowed: an integer from 0 to 65535/],
    ['PORT', {}, { PORT: '80a' }, /^PORT: given "80a"; allowed/],
    ['PORT', {}, { PORT: '-1' }, /^PORT: given "-1"/],
    ['--database-url', { databaseUrl: 'mysql://x' }, {}, /^--database-url: .*"mysql:\/\/x" names no supported store. Allowed: file:/],
    ['BELLHOP_DATABASE_URL', {}, { BELLHOP_DATABASE_URL: 'oracle://u:secret@h/d' }, /^BELLHOP_DATABASE_URL: /],
  ])('names %s when it holds what is not allowed', async (_name, flags, environment, message) => {
    const text = await refused(flags, environment);
    expect(text).toMatch(message);
    expect(text).not.toContain('secret');
  });
});

describe('outbound calls and the encryption key', () => {
  const KEY = Buffer.alloc(32, 7).toString('base64');

  it('takes trusted proxies from the environment over the file', async () => {
    write('bellhop.config.json', JSON.stringify({ trustedProxies: ['10.0.0.5'] }));
    const proxies = async (environment: Environment) => (await read({}, environment)).options.trustedProxies;
    expect(await proxies({})).toEqual(['10.0.0.5']);
    expect(await proxies({ BELLHOP_TRUSTED_PROXIES: '' })).toEqual(['10.0.0.5']);
    expect(await proxies({ BELLHOP_TRUSTED_PROXIES: '192.0.2.1, fd00::/8' })).toEqual(['192.0.2.1', 'fd00::/8']);
  });

  it('takes each of its words from the environment, and the others from the file', async () => {
    write('bellhop.config.json', JSON.stringify({ outbound: { allowHttp: true, allowCidrs: ['10.1.0.0/16'] } }));
    const outbound = async (environment: Environment) => (await read({}, environment)).options.outbound;
    expect(await outbound({})).toEqual({ allowHttp: true, allowCidrs: ['10.1.0.0/16'] });
    expect(await outbound({ BELLHOP_OUTBOUND_ALLOW_HTTP: '', BELLHOP_OUTBOUND_ALLOW_CIDRS: '' })).toEqual({
      allowHttp: true,
      allowCidrs: ['10.1.0.0/16'],
    });
    expect(await outbound({ BELLHOP_OUTBOUND_ALLOW_HTTP: 'false' })).toEqual({ allowHttp: false, allowCidrs: ['10.1.0.0/16'] });
    expect(await outbound({ BELLHOP_OUTBOUND_ALLOW_CIDRS: '127.0.0.1/32, ::1/128' })).toEqual({
      allowHttp: true,
      allowCidrs: ['127.0.0.1/32', '::1/128'],
    });
    for (const [text, allowHttp] of [
      ['1', true],
      ['true', true],
      ['0', false],
    ] as const) {
      expect(await outbound({ BELLHOP_OUTBOUND_ALLOW_HTTP: text })).toMatchObject({ allowHttp });
    }
  });

  it('takes the key from the environment only', async () => {
    expect((await read({}, { BELLHOP_ENCRYPTION_KEY: KEY })).options.encryptionKey).toBe(KEY);
    expect((await read({}, { BELLHOP_ENCRYPTION_KEY: '' })).options.encryptionKey).toBeUndefined();
    for (const config of [{ encryptionKey: KEY }, { switchboard: { encryptionKey: KEY } }]) {
      write('bellhop.config.json', JSON.stringify(config));
      const text = await refused({}, { BELLHOP_ENCRYPTION_KEY: KEY });
      expect(text).toMatch(/encryptionKey: the encryption key is not kept in a config\. Set BELLHOP_ENCRYPTION_KEY\./);
      expect(text).not.toContain(KEY);
    }
  });

  it.each<[string, Environment, RegExp]>([
    [
      'a flag that is none',
      { BELLHOP_OUTBOUND_ALLOW_HTTP: 'yes' },
      /^BELLHOP_OUTBOUND_ALLOW_HTTP: given "yes"; allowed: true, false, 1 or 0/,
    ],
    ['a flag named as what every object has', { BELLHOP_OUTBOUND_ALLOW_HTTP: 'constructor' }, /^BELLHOP_OUTBOUND_ALLOW_HTTP: given/],
    ['a range that is none', { BELLHOP_OUTBOUND_ALLOW_CIDRS: '10.0.0.0/8,everything' }, /^BELLHOP_OUTBOUND_ALLOW_CIDRS: given/],
    ['a range after a comma that is none', { BELLHOP_OUTBOUND_ALLOW_CIDRS: '10.0.0.0/8,' }, /^BELLHOP_OUTBOUND_ALLOW_CIDRS: given/],
    [
      'a proxy that is none',
      { BELLHOP_TRUSTED_PROXIES: '10.0.0.5,proxy.example' },
      /^BELLHOP_TRUSTED_PROXIES: given .*"proxy\.example" is neither an address nor a range/,
    ],
    ['a key that is none', { BELLHOP_ENCRYPTION_KEY: 'c2VjcmV0' }, /^BELLHOP_ENCRYPTION_KEY: .*openssl rand -base64 32/],
  ])('refuses %s', async (_what, environment, message) => {
    const text = await refused({}, environment);
    expect(text).toMatch(message);
    expect(text).not.toContain('c2VjcmV0');
  });

  it.each<[string, object, RegExp]>([
    ['an unknown option of the board', { switchboard: { maxHooks: 1 } }, /^bellhop\.config\.json: switchboard: unknown option maxHooks/],
    ['one out of bounds', { switchboard: { maxNotifyHooks: 101 } }, /switchboard: option maxNotifyHooks: given 101/],
    ['a policy in the wrong place', { switchboard: { outbound: {} } }, /unknown option switchboard\.outbound; it is given beside it/],
    ['a proxy that is none', { trustedProxies: ['10.0.0.0/33'] }, /trustedProxies.*"10\.0\.0\.0\/33" is neither an address nor a range/s],
    ['an unknown word of the policy', { outbound: { allowHttps: true } }, /unknown option outbound\.allowHttps/],
    ['a range that is none', { outbound: { allowCidrs: ['everything'] } }, /outbound\.allowCidrs\[0\]/],
  ])('refuses %s in the file', async (_what, config, message) => {
    write('bellhop.config.json', JSON.stringify(config));
    expect(await refused()).toMatch(message);
  });
});

describe('the config file', () => {
  it.each([
    [
      'bellhop.config.ts',
      `import { defineConfig } from '@bellhop/host';\nconst port: number = 8081;\nexport default defineConfig({ port });`,
    ],
    ['bellhop.config.js', `import { defineConfig } from '@bellhop/host';\nexport default defineConfig({ port: 8081 });`],
    ['bellhop.config.json', `{ "port": 8081 }`],
  ])('may be %s', async (name, text) => {
    write(name, text);
    expect(await read()).toMatchObject({ configFile: name, options: { port: 8081 } });
  });

  it('shares the running packages, so that a token it imports is the host’s own, and may import files beside it', async () => {
    write('channel.ts', `export const channel = { id: 'pager', send: async () => ({ ok: true as const }) };`);
    write(
      'bellhop.config.ts',
      `import { token } from '@bellhop/kernel';\nimport { channel } from './channel.js';\nexport default { channels: [channel], plugins: [{ name: String(token('X').description) }] };`,
    );
    const { options } = await read();
    expect(options.channels?.map(({ id }) => id)).toEqual(['pager']);
    expect(options.plugins?.map(({ name }) => name)).toEqual(['bellhop/X']);
  });

  it('may be named with --config, relative to the folder; then no other is looked at', async () => {
    write('bellhop.config.json', '{ "port": 1 }');
    write('bellhop.config.ts', 'export default { port: 2 };');
    write('other.json', '{ "port": 3 }');
    expect((await read({ config: 'other.json' })).options.port).toBe(3);
  });

  it('is refused when there are two', async () => {
    write('bellhop.config.json', '{}');
    write('bellhop.config.ts', 'export default {};');
    expect(await refused()).toMatch(/holds bellhop\.config\.ts and bellhop\.config\.json\. One config file is allowed: remove one/);
  });

  it.each([
    ['an unknown key', '{ "prot": 8080 }', /bellhop\.config\.json: unknown option prot; allowed: database, host, port, /],
    [
      'an unknown nested key',
      '{ "database": { "uri": "file:x.db" } }',
      /bellhop\.config\.json: unknown option database\.uri; allowed: url, /,
    ],
    ['a value out of bounds', '{ "port": 99999 }', /bellhop\.config\.json: option port: given 99999 \(number\); allowed: .*65535/],
    ['a value of the wrong type', '{ "logLevel": "loud" }', /option logLevel: given "loud" \(string\); allowed: .*"debug"/],
    ['no object', '[1]', /bellhop\.config\.json: the options: given an array of 1/],
    [
      'an unknown option of messaging',
      '{ "messaging": { "dispach": false } }',
      /bellhop\.config\.json: messaging: unknown option dispach; allowed: outbox, dispatch, (?!.*channels).*, stopDeadlineMs$/,
    ],
    ['channels in the wrong place', '{ "messaging": { "channels": [] } }', /bellhop\.config\.json: unknown option messaging\.channels/],
    [
      'an unknown option of the queue',
      '{ "queue": { "wrok": false } }',
      /bellhop\.config\.json: queue: unknown option wrok; allowed: jobs, work, .*stopDeadlineMs/,
    ],
    [
      'a queue option out of bounds',
      '{ "queue": { "maxConcurrency": 0 } }',
      /bellhop\.config\.json: queue: option maxConcurrency: given 0 \(number\); allowed: /,
    ],
    ['malformed JSON', '{ "port": ', /^Cannot load bellhop\.config\.json: the file ends too soon \(bellhop\.config\.json:1:11\)\.$/],
    [
      'JSON with a trailing comma',
      '{\n  "port": 1,\n}',
      /^Cannot load bellhop\.config\.json: unexpected "}" \(bellhop\.config\.json:3:1\)\.$/,
    ],
    [
      'a database of no known kind',
      '{ "database": { "url": "mysql://x" } }',
      /^bellhop\.config\.json: database\.url: .*names no supported store/,
    ],
  ])('is refused with %s, naming file, path, given and allowed', async (_what, text, message) => {
    write('bellhop.config.json', text);
    expect(await refused()).toMatch(message);
  });

  it.each([
    ['broken', 'export default {', /^Cannot load bellhop\.config\.ts: Unexpected token \(bellhop\.config\.ts:1:17\)\.$/],
    [
      'missing a comma',
      'export default {\n  port: 80\n  host: "x",\n};',
      /^Cannot load bellhop\.config\.ts: Unexpected token, expected "," \(bellhop\.config\.ts:3:3\)\.$/,
    ],
    ['throwing', `throw new Error('SMTP_URL is not set');`, /^Cannot load bellhop\.config\.ts: SMTP_URL is not set\.$/],
    ['importing what is not there', `import './nowhere.js';\nexport default {};`, /^Cannot load bellhop\.config\.ts: .*nowhere/],
    ['without a default export', 'export const port = 1;', /^bellhop\.config\.ts has no default export/],
    ['with a plugin that is none', 'export default { plugins: [42] };', /option plugins\[0\]: given 42 \(number\); allowed: a plugin/],
    [
      'with a channel that is none',
      `export default { channels: [{ id: 'x' }] };`,
      /option channels\[0\]: given an object; allowed: a channel/,
    ],
  ])('is refused in one line when it is %s', async (_what, text, message) => {
    write('bellhop.config.ts', text);
    const line = await refused();
    expect(line).toMatch(message);
    expect(line).not.toContain('\n');
  });

  it('is told where a file is broken that it imports', async () => {
    write('channel.ts', 'export const channel = {;');
    write('bellhop.config.ts', `import { channel } from './channel.js';\nexport default { channels: [channel] };`);
    expect(await refused()).toBe('Cannot load bellhop.config.ts: Unexpected token (channel.ts:1:25).');
  });

  it('is refused when --config names none', async () => {
    expect(await refused({ config: 'nowhere.ts' })).toMatch(/nowhere\.ts does not exist/);
  });

  it('hides a secret that it refuses', async () => {
    write('bellhop.config.json', '{ "database": { "authToken": 12345678 } }');
    expect(await refused()).not.toContain('12345678');
  });
});
