import type { Store } from '@bellhop/contracts';
import { BellhopError } from '@bellhop/kernel';
import type { Flags } from '../config/settings.js';
import { storedKey } from '../keys/environment-key.js';
import { hostMigrations } from '../keys/key-migrations.js';
import { type ApiKeyRecord, KeyStore } from '../keys/key-store.js';
import { withDatabase, withExistingDatabase } from './open-database.js';

export interface CreateKeyFlags extends Flags {
  readonly organization?: string | undefined;
  readonly root?: boolean | undefined;
  readonly label?: string | undefined;
}

/** `bellhop keys create`: the key alone on standard output, so that `$(…)` takes it; what it is on standard error. */
export async function createKey({ organization, root = false, label, ...flags }: CreateKeyFlags): Promise<void> {
  if ((organization !== undefined) === root) {
    throw new BellhopError('INVALID_INPUT', 'keys create: give either --organization <id> or --root, which says what the key may reach.');
  }
  const { id, key } = await withDatabase(
    flags,
    onKeys((keys) => keys.create(organization ?? null, label)),
  );
  process.stderr.write(`Made ${id}, ${reach(organization ?? null)}. It is shown only now; its hash is stored.\n`);
  process.stdout.write(`${key}\n`);
}

/** `bellhop keys list`. */
export async function listKeys(flags: Flags): Promise<void> {
  const found = await withExistingDatabase(
    flags,
    onKeys(async (keys) => ({ records: await keys.list(), own: await ownKey(keys) })),
    (file) => void process.stderr.write(`There is no database at ${file}, so there are no keys. \`bellhop start\` creates it.\n`),
  );
  if (!found) return;
  const { records, own } = found;
  if (records.length === 0) process.stderr.write('There are no keys. `bellhop keys create --root` makes one.\n');
  process.stdout.write(records.map((record) => `${describe(record, record.keyId === own)}\n`).join(''));
}

/** `bellhop keys revoke <id>`. */
export async function revokeKey(id: string, flags: Flags): Promise<void> {
  const { revocation, own } = await withExistingDatabase(
    flags,
    onKeys(async (keys) => ({ revocation: await keys.revoke(id), own: await ownKey(keys) })),
    (file) => {
      throw new BellhopError('NOT_FOUND', `keys revoke: there is no key ${JSON.stringify(id)}, and no database at ${file}.`);
    },
  );
  if (revocation === 'unknown')
    throw new BellhopError('NOT_FOUND', `keys revoke: there is no key ${JSON.stringify(id)}. \`keys list\` shows the ids.`);
  process.stdout.write(
    revocation === 'revoked' ? `Revoked ${id}. Running hosts refuse it within 5 seconds.\n` : `${id} was revoked before.\n`,
  );
  if (id === own) process.stderr.write('It is the BELLHOP_API_KEY of this shell. Unset that: a host started with it refuses to start.\n');
}

/** The id of the key in this environment; a running host may have another. */
async function ownKey(keys: KeyStore): Promise<string | undefined> {
  return (await storedKey(keys, process.env.BELLHOP_API_KEY))?.keyId;
}

function onKeys<T>(command: (keys: KeyStore) => Promise<T>): (store: Store) => Promise<T> {
  return async (store) => {
    await store.migrate(hostMigrations);
    return command(new KeyStore(store));
  };
}

function describe({ keyId, organizationId, hint, label, createdAt, revokedAt }: ApiKeyRecord, own: boolean): string {
  const state = revokedAt === null ? 'active' : `revoked ${new Date(revokedAt).toISOString()}`;
  const marks = [...(own ? ['in BELLHOP_API_KEY here'] : []), ...(label === null ? [] : [label])];
  return [keyId, hint, reach(organizationId), `made ${new Date(createdAt).toISOString()}`, state, ...marks].join('  ');
}

function reach(organizationId: string | null): string {
  return organizationId === null ? 'root' : `organization ${JSON.stringify(organizationId)}`;
}
