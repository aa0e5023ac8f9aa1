import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '@bellhop/store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CommandLine } from './command-line.fixture.js';

let line: CommandLine;
beforeEach(() => {
  line = new CommandLine();
});
afterEach(() => line.end());

describe('bellhop keys', () => {
  it('makes a key that a running host takes at once, lists it without showing it, and revokes it', async () => {
    const { url } = await line.start();
    const made = await line.run(['keys', 'create', '--organization', 'acme', '--label', 'the shop']);
    expect(made).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^bh_org_[\w-]{43}$/),
      stderr: expect.stringMatching(/^Made key_\S+, organization "acme"\./),
    });
    const key = made.stdout;
    const ask = async () => (await fetch(`${url}/v1/deliveries`, { headers: { Authorization: `Bearer ${key}` } })).status;
    expect(await ask()).toBe(200);

    const { stdout: listed } = await line.run(['keys', 'list']);
    const [, own = ''] = listed.split('\n');
    expect(own).toMatch(/^key_\S+ {2}bh_org_\S{4}… {2}organization "acme" {2}made \S+Z {2}active {2}the shop$/);
    expect(listed).not.toContain(key);

    const id = own.split(' ')[0] ?? '';
    expect(await line.run(['keys', 'revoke', id])).toMatchObject({
      code: 0,
      stdout: `Revoked ${id}. Running hosts refuse it within 5 seconds.`,
    });
    expect((await line.run(['keys', 'revoke', id])).stdout).toMatch(/was revoked before/);
    expect((await line.run(['keys', 'list'])).stdout).toMatch(/revoked \S+Z {2}the shop/);
  });

  it.each([
    [['keys', 'create'], /give either --organization <id> or --root/],
    [['keys', 'create', '--root', '--organization', 'acme'], /give either/],
    [['keys', 'create', '--organization', ''], /organization: empty/],
    [['keys', 'revoke', 'key_nobody'], /there is no key "key_nobody"/],
    [['keys', 'list', '--database-url', 'memory:'], /memory: lives inside the host/],
  ])('%j is refused in one line', async (args, message) => {
    const { code, stderr } = await line.run(args);
    expect([code, stderr.trimEnd().split('\n').length]).toEqual([1, 1]);
    expect(stderr).toMatch(message);
  });
});

describe('bellhop keys without a database', () => {
  it('creates none to list or revoke what cannot be there, and says so', async () => {
    const { code, stdout, stderr } = await line.run(['keys', 'list']);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(/^There is no database at \S+\.bellhop\/bellhop\.db, so there are no keys\. `bellhop start` creates it\.\n$/);
    expect(await line.run(['keys', 'revoke', 'key_x'])).toMatchObject({ code: 1, stderr: expect.stringMatching(/no database at/) });
    expect(existsSync(join(line.folder, '.bellhop'))).toBe(false);
    // Control: a key that is made needs one.
    expect((await line.run(['keys', 'create', '--root'])).code).toBe(0);
    expect(existsSync(join(line.folder, '.bellhop'))).toBe(true);
    expect((await line.run(['keys', 'list'])).stdout).toMatch(/^key_/);
  });
});

describe('bellhop migrate', () => {
  it('brings up the schema of every configured plugin, says what it did, and does nothing twice', async () => {
    line.write(
      'bellhop.config.ts',
      `export default { plugins: [
        { name: 'orders', migrations: [{ plugin: 'orders', tenantTables: ['orders'], migrations: [
          { number: 1, name: 'orders', kind: 'additive', up: ({ schema }) => [schema().createTable('orders', (table) => void table.string('id').primary())] },
        ] }], start() { throw new Error('migrate starts no plugin'); } },
        { name: 'silent' },
      ] };`,
    );
    const first = await line.run(['migrate']);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toMatch(/^applied {2}host 1: api keys$/m);
    expect(first.stdout).toMatch(/^applied {2}service-messaging 1: /m);
    expect(first.stdout).toMatch(/^applied {2}orders 1: orders$/m);
    expect(first.stdout).toMatch(/^skipped {2}silent: it tells no migrations/m);
    expect(first.stdout).toMatch(/file:\.bellhop\/bellhop\.db is up to date; \d+ migrations run\.$/);

    const second = await line.run(['migrate']);
    expect(second.stdout).toMatch(/^present {2}orders: 1 of 1$/m);
    expect(second.stdout).toMatch(/is up to date; nothing was run\.$/);
    const store = await openStore({ url: `file:${join(line.folder, '.bellhop/bellhop.db')}` });
    expect(await store.knex('orders').select()).toEqual([]);
    await store.close();
  });
});

describe('bellhop doctor', () => {
  it('finds nothing wrong before a first start, and creates nothing', async () => {
    const { code, stdout } = await line.run(['doctor']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ok {4}database {2}.*does not exist yet; `bellhop start`/m);
    expect(existsSync(join(line.folder, '.bellhop'))).toBe(false);
  });

  it('looks at everything beside a running host', async () => {
    const { url } = await line.start();
    const { code, stdout } = await line.run(['doctor', '--port', new URL(url).port]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ok {4}node {6}\d+/m);
    expect(stdout).toMatch(/^ok {4}config {4}no file/m);
    expect(stdout).toMatch(/^ok {4}database {2}file:\.bellhop\/bellhop\.db: SQLite 3\.\S+, journal wal$/m);
    expect(stdout).toMatch(/^ok {4}schema {4}\d+ migrations applied$/m);
    expect(stdout).toMatch(/^ok {4}keys {6}1 active, 1 of them root$/m);
    expect(stdout).toMatch(/^ok {4}channels {2}inbox, log; no other has due deliveries$/m);
    expect(stdout).toMatch(/^ok {4}write {5}a test write was made and rolled back$/m);
    expect(stdout).toMatch(/^ok {4}port {6}\d+ on 127\.0\.0\.1 is held by a running Bellhop$/m);
    const store = await openStore({ url: `file:${join(line.folder, '.bellhop/bellhop.db')}` });
    expect(await store.knex('sqlite_master').where({ name: 'bellhop_write_probe' }).select()).toEqual([]);
    await store.close();
  });

  it('exits 1 and says what is wrong', async () => {
    const file = line.write('notes.txt', 'Dear diary, '.repeat(1_000));
    const unreadable = await line.run(['doctor', '--database-url', `file:${file}`]);
    expect(unreadable.code).toBe(1);
    expect(unreadable.stdout).toMatch(/^FAIL {2}database {2}Cannot open the database .*not a SQLite database/m);
    line.write('bellhop.config.json', '{ "prot": 1 }');
    const misconfigured = await line.run(['doctor']);
    expect(misconfigured.code).toBe(1);
    expect(misconfigured.stdout).toMatch(/^FAIL {2}config {4}bellhop\.config\.json: unknown option prot/m);
  });
});

describe('bellhop', () => {
  it('tells its version and its help', async () => {
    expect((await line.run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+/);
    const help = (await line.run(['--help'])).stdout;
    for (const command of ['start', 'migrate', 'doctor', 'keys', 'queue']) expect(help).toContain(`\n  ${command}`);
  });

  it('refuses a command or an option that it does not have, with exit code 1', async () => {
    expect(await line.run(['strat'])).toMatchObject({ code: 1, stderr: expect.stringMatching(/unknown command 'strat'/) });
    expect(await line.run(['start', '--prot', '1'])).toMatchObject({ code: 1, stderr: expect.stringMatching(/unknown option '--prot'/) });
  });
});
