import { BOARD, type IBoard, type IStall, STALL, STORE } from '@bellhop/contracts';
import { Kernel } from '@bellhop/kernel';
import { NOTIFY_DISPATCHER } from '@bellhop/switchboard';
import type { Flags, Settings } from '../config/settings.js';
import { DEFAULT_ORGANIZATION } from '../http/auth.js';
import { boardPlugins } from '../plugins.js';
import { withDatabase, withExistingDatabase } from './open-database.js';

export interface BoardFlags extends Flags {
  /** Default `default`, as for a root key over HTTP. */
  readonly organization?: string | undefined;
  /** Print one JSON value instead of lines. */
  readonly json?: boolean | undefined;
}

export interface OpenBoard {
  readonly board: IBoard;
  readonly stalls: IStall;
  readonly scope: { readonly organizationId: string };
}

/** Runs a command on the board of the configured database, which is created where there is none. @throws what opening the store throws. */
export async function withNewBoard<T>(flags: BoardFlags, command: (open: OpenBoard) => Promise<T>): Promise<T> {
  return withDatabase(flags, (store, settings) => run(store, settings, flags, command));
}

/**
 * As {@link withNewBoard}, for a command that has nothing to do where there is no database: it creates none.
 *
 * @param missing takes the path of the file that does not exist.
 */
export async function withBoard<T>(flags: BoardFlags, command: (open: OpenBoard) => Promise<T>, missing: (file: string) => T): Promise<T> {
  return withExistingDatabase(flags, (store, settings) => run(store, settings, flags, command), missing);
}

/**
 * Hosts that run beside it hear of what it changes. Nothing is swept from here: a kernel without a reaper has nobody to run its duties. Whom a change
 * wakes is told by this process, so that is awaited, but no second attempt: a nudge of a running host follows. What fails from here is held against no
 * hook: this shell may lack what the host was given.
 */
async function run<T>(
  store: Parameters<Parameters<typeof withDatabase>[1]>[0],
  { options }: Settings,
  { organization = DEFAULT_ORGANIZATION }: BoardFlags,
  command: (open: OpenBoard) => Promise<T>,
): Promise<T> {
  // The store is open already, and is not the kernel's to close.
  const kernel = new Kernel().use({ name: 'store' });
  for (const plugin of boardPlugins(options)) kernel.use(plugin);
  kernel.bind(STORE, store);
  await kernel.start();
  kernel.resolve(NOTIFY_DISPATCHER).forgiveFailures();
  try {
    const done = await command({
      board: kernel.resolve(BOARD),
      stalls: kernel.resolve(STALL),
      scope: { organizationId: organization },
    });
    await kernel.resolve(NOTIFY_DISPATCHER).settled();
    return done;
  } finally {
    await kernel.stop();
  }
}
