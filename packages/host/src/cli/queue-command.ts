import type { JobScope } from '@bellhop/contracts';
import { BellhopError } from '@bellhop/kernel';
import type { Flags } from '../config/settings.js';
import { withQueue } from './open-queue.js';
import { failedLine, scheduleLine, statsLine } from './queue-lines.js';

export interface QueueFlags extends Flags {
  readonly organization?: string | undefined;
}

export interface FailedFlags extends QueueFlags {
  readonly limit?: string | undefined;
  readonly cursor?: string | undefined;
}

export interface ReplayFlags extends QueueFlags {
  readonly queue?: string | undefined;
}

/** `bellhop queue stats [queue]`: a line for each queue. */
export async function queueStats(queue: string | undefined, { organization, ...flags }: QueueFlags): Promise<void> {
  const stats = await withQueue(flags, (queues) => queues.stats(queue, scopeOf(organization)), nothingThere);
  if (stats?.length === 0) note(queue === undefined ? 'There are no jobs.' : `There are no jobs in ${JSON.stringify(queue)}.`);
  print((stats ?? []).map(statsLine));
}

/** `bellhop queue failed [queue]`: dead jobs, those that died last first; where the list goes on, on standard error. */
export async function queueFailed(queue: string | undefined, { organization, limit, cursor, ...flags }: FailedFlags): Promise<void> {
  const filter = {
    ...scopeOf(organization),
    ...(queue === undefined ? {} : { queue }),
    ...(cursor === undefined ? {} : { cursor }),
    ...(limit === undefined ? {} : { limit: wholeNumber(limit, '--limit') }),
  };
  const page = await withQueue(flags, (queues) => queues.listFailed(filter), nothingThere);
  if (!page) return;
  if (page.total === 0) note('There are no dead jobs.');
  print(page.items.map(failedLine));
  if (page.nextCursor !== null) note(`These are ${page.items.length} of ${page.total}. The next ones: --cursor ${page.nextCursor}`);
}

/** `bellhop queue replay <id>`, or `--queue <name>` for all dead jobs of one. */
export async function queueReplay(id: string | undefined, { organization, queue, ...flags }: ReplayFlags): Promise<void> {
  const scope = scopeOf(organization);
  if (id !== undefined && queue === undefined) {
    await withQueue(flags, (queues) => queues.replay(id, scope), needed);
    print([`Replayed ${id}.`]);
    return;
  }
  if (id === undefined && queue !== undefined) {
    const replayed = await withQueue(flags, (queues) => queues.replayAll(queue, scope), needed);
    print([`Replayed ${replayed} ${replayed === 1 ? 'job' : 'jobs'} of ${JSON.stringify(queue)}.`]);
    return;
  }
  throw new BellhopError('INVALID_INPUT', 'queue replay: give either the id of a dead job or --queue <name>, for all of a queue.');
}

/** `bellhop queue pause <queue>`. */
export async function queuePause(queue: string, flags: Flags): Promise<void> {
  await withQueue(flags, (queues) => queues.pause(queue), needed);
  print([`Paused ${JSON.stringify(queue)}: none of its jobs begins, in any process. Those that run end.`]);
}

/** `bellhop queue resume <queue>`. */
export async function queueResume(queue: string, flags: Flags): Promise<void> {
  await withQueue(flags, (queues) => queues.resume(queue), needed);
  print([`Resumed ${JSON.stringify(queue)}.`]);
}

/** `bellhop queue schedules`: a line for each schedule, by name. */
export async function queueSchedules({ organization, ...flags }: QueueFlags): Promise<void> {
  const schedules = await withQueue(flags, (queues) => queues.listSchedules(scopeOf(organization)), nothingThere);
  if (schedules?.length === 0) note('There are no schedules.');
  print((schedules ?? []).map(scheduleLine));
}

function scopeOf(organizationId: string | undefined): JobScope {
  return organizationId === undefined ? {} : { organizationId };
}

function wholeNumber(text: string, flag: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new BellhopError('INVALID_INPUT', `${flag}: given ${JSON.stringify(text)}; a whole number is needed.`);
}

function print(lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
}

function note(line: string): void {
  process.stderr.write(`${line}\n`);
}

function nothingThere(file: string): undefined {
  note(`There is no database at ${file}, so there are no jobs. \`bellhop start\` creates it.`);
}

function needed(file: string): never {
  throw new BellhopError('NOT_FOUND', `There is no database at ${file}, so there are no jobs. \`bellhop start\` creates it.`);
}
