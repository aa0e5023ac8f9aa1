import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openStore } from '@bellhop/store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hostMigrations } from '../keys/key-migrations.js';
import { KeyStore } from '../keys/key-store.js';
import { CommandLine, paste } from './command-line.fixture.js';

const CHECKOUT = fileURLToPath(new URL('../../../../', import.meta.url));

let line: CommandLine;
beforeEach(() => {
  line = new CommandLine();
});
afterEach(() => line.end());

/** Pastes the read line until it shows what the send line sent: deliveries are made after an emit is answered. */
async function pasteUntil(read: string, sign: string, env: Record<string, string> = {}): Promise<string> {
  for (let tries = 0; ; tries += 1) {
    const output = await paste(read, env);
    if (output.includes(sign) || tries === 50) return output;
  }
}

describe('a first start', () => {
  it('creates its database, makes a root key, and prints two lines that work as they are', async () => {
    const { child, url } = await line.start();
    expect(existsSync(join(line.folder, '.bellhop/bellhop.db'))).toBe(true);
    const key = (await child.line(/^ {2}bh_root_/)).trim();
    const send = await child.line(/^ {2}curl .*notifications/);
    const read = await child.line(/^ {2}curl .*inbox/);
    expect(send).toContain(key);
    expect(JSON.parse(await paste(send))).toMatchObject({ enqueued: 1, deduped: false });
    expect(JSON.parse(await pasteUntil(read, 'Hello, Ada'))).toMatchObject({
      items: [{ title: 'Hello, Ada', read: false }],
      unreadCount: 1,
    });
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(child.stderr).toBe('');
    expect(await child.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  });

  it('takes BELLHOP_API_KEY for the root key, makes none, and prints lines that use the variable', async () => {
    const env = { BELLHOP_API_KEY: 'a-key-of-my-own' };
    const { child } = await line.start([], env);
    const send = await child.line(/^ {2}curl .*notifications/);
    const read = await child.line(/^ {2}curl .*inbox/);
    expect(send).toContain('$BELLHOP_API_KEY');
    expect(send).not.toContain('a-key-of-my-own');
    expect(JSON.parse(await paste(send, env)).enqueued).toBe(1);
    expect(await pasteUntil(read, 'Hello, Ada', env)).toContain('Hello, Ada');
    expect((await line.run(['keys', 'list'])).stdout).toBe('');
  });
});

describe('a later start', () => {
  it('tells no key, and prints the command that makes one: it works when pasted, and so do the lines after it', async () => {
    const first = await line.start();
    await first.child.kill('SIGTERM');
    const { child } = await line.start();
    const make = await child.line(/export BELLHOP_API_KEY=/);
    const send = await child.line(/^ {2}curl .*notifications/);
    expect(make).not.toContain('bh_root_');
    // In one shell, as a user has it.
    expect(JSON.parse(await paste(`${make}\n${send}`, {}, line.folder))).toMatchObject({ enqueued: 1 });
  });

  it('in a checkout prints a command that works in its subfolders too, on the same database', async () => {
    const flags = ['--database-url', `file:${join(line.folder, 'app.db')}`];
    const checkout = { BELLHOP_TEST_FOLDER: CHECKOUT };
    const first = await line.start(flags, checkout);
    await first.child.kill('SIGTERM');
    const { child } = await line.start(flags, checkout);
    const make = await child.line(/export BELLHOP_API_KEY=/);
    const send = await child.line(/^ {2}curl .*notifications/);
    expect(make).toContain('$(npm run -s bellhop -- keys create --root --database-url ');
    expect(JSON.parse(await paste(`${make}\n${send}`, {}, join(CHECKOUT, 'docs/guides')))).toMatchObject({ enqueued: 1 });
  });
});

describe('a stored key in BELLHOP_API_KEY', () => {
  it('ends when it is revoked: told by keys revoke and keys list, and refused at the next start in one line', async () => {
    const url = `file:${join(line.folder, 'app.db')}`;
    const store = await openStore({ url });
    await store.migrate(hostMigrations);
    const { id, key } = await new KeyStore(store).create(null);
    await store.close();
    const env = { BELLHOP_API_KEY: key, BELLHOP_DATABASE_URL: url };
    expect((await line.run(['keys', 'list'], env)).stdout).toMatch(/active {2}in BELLHOP_API_KEY here$/);
    expect((await line.run(['keys', 'revoke', id], env)).stderr).toMatch(/^It is the BELLHOP_API_KEY of this shell\. Unset that/);
    const refused = await line.run(['start'], env);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(
      new RegExp(
        `^bellhop: BELLHOP_API_KEY holds bh_root_\\S{4}…, the key ${id}, which was revoked\\. Unset it, or set it to .*keys create --root.*\\.\n$`,
      ),
    );
    expect(refused.stdout).not.toContain('Bellhop listens');
    // Control: with another key in the environment nothing is marked.
    expect((await line.run(['keys', 'list'], { ...env, BELLHOP_API_KEY: 'my-own' })).stdout).toMatch(/ revoked \S+$/);
  });
});

describe('signals', () => {
  const holding = (folder: string) => `
    export default {
      channels: [{
        id: 'held',
        async send() {
          console.log('sending');
          await new Promise((resolve) => process.once('message', resolve));
          return { ok: true };
        },
      }],
      database: { url: ${JSON.stringify(`file:${join(folder, 'held.db')}`)} },
    };`;

  async function holdOne() {
    line.write('bellhop.config.ts', holding(line.folder));
    const started = await line.start([], { BELLHOP_API_KEY: 'k' });
    const response = await fetch(`${started.url}/v1/notifications`, {
      method: 'POST',
      headers: { Authorization: 'Bearer k', 'Content-Type': 'application/json' },
      body: JSON.stringify({ topic: 't', audience: 'ada', channels: ['held'] }),
    });
    expect(response.status).toBe(202);
    await started.child.line(/^sending$/);
    return started;
  }

  async function statusOfDelivery(): Promise<string> {
    const store = await openStore({ url: `file:${join(line.folder, 'held.db')}` });
    const [row] = await store.knex('notification_delivery').select('status');
    await store.close();
    return row.status as string;
  }

  it.each(['SIGTERM', 'SIGINT'] as const)('the first %s lets a running send end, writes its outcome and exits 0', async (signal) => {
    const { child, url } = await holdOne();
    const ended = child.kill(signal);
    await child.line(/"msg":"stopping"/);
    child.send('go');
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(await statusOfDelivery()).toBe('success');
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
    expect(child.stderr).toBe('');
  });

  it('the second one ends the process at once, whatever still runs', async () => {
    const { child } = await holdOne();
    void child.kill('SIGTERM');
    await child.line(/"msg":"stopping"/);
    expect(await child.kill('SIGTERM')).toEqual({ code: 143, signal: null });
    // Control: the send was never let go, so the claim is still held, for the next start to take over.
    expect(await statusOfDelivery()).toBe('in_flight');
  });
});

describe('what keeps a host from starting is one line on standard error and exit code 1', () => {
  async function refused(args: readonly string[], env: Record<string, string> = {}): Promise<string> {
    const { code, stderr, stdout } = await line.run(['start', ...args], env);
    expect(code).toBe(1);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(stderr).toMatch(/^bellhop: /);
    expect(stdout).not.toContain('bh_root_');
    return stderr;
  }

  it('a port that is taken; no key is made that nobody would see', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    try {
      expect(await refused(['--port', String(port)])).toMatch(
        new RegExp(`Port ${port} on 127\\.0\\.0\\.1 is taken\\. Stop what listens there, or choose`),
      );
    } finally {
      taken.close();
    }
    // Control: on a free port it starts, and this is the first start.
    const { child } = await line.start();
    await child.line(/bh_root_/);
  });

  it('a file that is no SQLite database', async () => {
    const file = line.write('notes.txt', 'Dear diary, '.repeat(1_000));
    expect(await refused(['--database-url', `file:${file}`])).toMatch(
      /Cannot open the database .*notes\.txt: the file is not a SQLite database/,
    );
  });

  it('a folder that does not exist', async () => {
    expect(await refused(['--database-url', `file:${join(line.folder, 'nowhere/app.db')}`])).toMatch(
      /its folder does not exist\. Create the folder first/,
    );
  });

  it('a database with a newer breaking schema', async () => {
    const url = `file:${join(line.folder, 'newer.db')}`;
    const store = await openStore({ url });
    const newer = { number: 2, name: 'from the future', kind: 'breaking', up: () => [] } as const;
    await store.migrate({ ...hostMigrations, migrations: [...hostMigrations.migrations, newer] });
    await store.close();
    expect(await refused(['--database-url', url])).toMatch(/newer/);
  });

  it('two config files', async () => {
    line.write('bellhop.config.ts', 'export default {};');
    line.write('bellhop.config.json', '{}');
    expect(await refused([])).toMatch(/One config file is allowed/);
  });

  it('a broken config, an unknown option, a port that is none, a database of no known kind', async () => {
    line.write('bellhop.config.ts', 'export default {');
    expect(await refused([])).toMatch(/Cannot load bellhop\.config\.ts/);
    line.write('bellhop.config.ts', 'export default { messaging: { concurrency: 0 } };');
    expect(await refused([])).toMatch(/bellhop\.config\.ts: messaging: option concurrency: given 0/);
    line.write('bellhop.config.ts', 'export default {};');
    expect(await refused([], { PORT: 'http' })).toMatch(/PORT: given "http"/);
    expect(await refused([], { BELLHOP_DATABASE_URL: 'mysql://x' })).toMatch(/BELLHOP_DATABASE_URL: .*names no supported store/);
  });

  it('a database server that cannot be reached', async () => {
    const text = await refused(['--database-url', 'postgres://me:hunter2@127.0.0.1:1/app']);
    expect(text).toMatch(/Cannot open the Postgres database\..*ECONNREFUSED 127\.0\.0\.1:1\.$/m);
    expect(text).not.toContain('hunter2');
  });

  it('an address that is not this machine’s', async () => {
    expect(await refused(['--host', '192.0.2.1'])).toMatch(/Cannot listen on 192\.0\.2\.1/);
  });
});
