import { BellhopError } from '@bellhop/kernel';
import type { Flags } from '../config/settings.js';
import { hostMigrations } from '../keys/key-migrations.js';
import { type ApiKeyRecord, KeyStore } from '../keys/key-store.js';
import { withDatabase } from './open-database.js';

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
  const { id, key } = await withKeys(flags, (keys) => keys.create(organization ?? null, label));
  process.stderr.write(`Made ${id}, ${reach(organization ?? null)}. It is shown only now; its hash is stored.\n`);
  process.stdout.write(`${key}\n`);
}

/** `bellhop keys list`. */
export async function listKeys(flags: Flags): Promise<void> {
  const records = await withKeys(flags, (keys) => keys.list());
  if (records.length === 0) process.stderr.write('There are no keys. `bellhop keys create --root` makes one.\n');
  process.stdout.write(records.map((record) => `${describe(record)}\n`).join(''));
}

/** `bellhop keys revoke <id>`. */
export async function revokeKey(id: string, flags: Flags): Promise<void> {
  const revocation = await withKeys(flags, (keys) => keys.revoke(id));
  if (revocation === 'unknown')
    throw new BellhopError('NOT_FOUND', `keys revoke: there is no key ${JSON.stringify(id)}. \`keys list\` shows the ids.`);
  process.stdout.write(
    revocation === 'revoked' ? `Revoked ${id}. Running hosts refuse it within 5 seconds.\n` : `${id} was revoked before.\n`,
  );
}

function withKeys<T>(flags: Flags, command: (keys: KeyStore) => Promise<T>): Promise<T> {
  return withDatabase(flags, async (store) => {
    await store.migrate(hostMigrations);
    return command(new KeyStore(store));
  });
}

function describe({ keyId, organizationId, hint, label, createdAt, revokedAt }: ApiKeyRecord): string {
  const state = revokedAt === null ? 'active' : `revoked ${new Date(revokedAt).toISOString()}`;
  return [keyId, hint, reach(organizationId), `made ${new Date(createdAt).toISOString()}`, state, ...(label === null ? [] : [label])].join(
    '  ',
  );
}

function reach(organizationId: string | null): string {
  return organizationId === null ? 'root' : `organization ${JSON.stringify(organizationId)}`;
}
