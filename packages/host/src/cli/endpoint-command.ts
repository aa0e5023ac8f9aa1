import type { BoardVerb, VendInput } from '@bellhop/contracts';
import { BellhopError, systemClock } from '@bellhop/kernel';
import { endpointLine } from './board-lines.js';
import { type BoardFlags, withBoard, withNewBoard } from './open-board.js';

export interface VendFlags extends BoardFlags {
  readonly queue?: readonly string[] | undefined;
  readonly verb?: readonly string[] | undefined;
  readonly expiresAt?: string | undefined;
  readonly lease?: string | undefined;
}

/** `bellhop endpoint vend <slug>`: the credential alone on standard output, so that `$(…)` takes it; what it is for on standard error. */
export async function endpointVend(slug: string, { queue = [], verb, expiresAt, lease, ...flags }: VendFlags): Promise<void> {
  const input: VendInput = {
    slug,
    queues: queue,
    // The board says which verbs there are.
    ...(verb === undefined ? {} : { verbs: verb as BoardVerb[] }),
    ...(expiresAt === undefined ? {} : { expiresAt: timeOf(expiresAt) }),
    ...(lease === undefined ? {} : { defaultLeaseMs: wholeNumber(lease, '--lease') }),
  };
  const vended = await withNewBoard(flags, ({ board, scope }) => board.vend(input, scope));
  if (flags.json) return printJson(vended);
  process.stderr.write(`Made ${vended.endpoint.id}, ${JSON.stringify(slug)}. Its credential is shown only now; its hash is stored.\n`);
  process.stdout.write(`${vended.credential}\n`);
}

/** `bellhop endpoint list`: a line for each, oldest first. */
export async function endpointList(flags: BoardFlags): Promise<void> {
  const found = await withBoard(flags, ({ board, scope }) => board.endpoints(scope), nothingThere);
  if (found?.length === 0) process.stderr.write('There are no endpoints. `bellhop endpoint vend` makes one.\n');
  if (flags.json) return printJson(found ?? []);
  process.stdout.write((found ?? []).map((each) => `${endpointLine(each)}\n`).join(''));
}

/** `bellhop endpoint revoke <endpoint>`. One that was revoked before is no error. */
export async function endpointRevoke(idOrSlug: string, flags: BoardFlags): Promise<void> {
  const { before, revoked } = await withBoard(
    flags,
    async ({ board, scope }) => ({ before: await board.endpoint(idOrSlug, scope), revoked: await board.revoke(idOrSlug, scope) }),
    needed,
  );
  if (flags.json) return printJson(revoked);
  if (before.revokedAt !== null) {
    const at = new Date(before.revokedAt).toISOString();
    process.stdout.write(`${revoked.id}, ${JSON.stringify(revoked.slug)}, was revoked before, at ${at}. Nothing was changed.\n`);
    return;
  }
  process.stdout.write(`Revoked ${revoked.id}, ${JSON.stringify(revoked.slug)}. What was not done is a dead letter.\n`);
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

export function wholeNumber(text: string, flag: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new BellhopError('INVALID_INPUT', `${flag}: given ${JSON.stringify(text)}; a whole number is needed.`);
}

/** Only with its zone: what a machine in another one would read otherwise is refused. */
const ISO_TIME = /^(\d{4})-(\d{2})-(\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})$/;

function timeOf(text: string): number {
  const [, year, month, day] = ISO_TIME.exec(text)?.map(Number) ?? [];
  // The 30th of February would be read as a day in March.
  const exists = year !== undefined && month !== undefined && day !== undefined && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
  const at = exists ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(at)) return at;
  const example = new Date(systemClock.now()).toISOString();
  throw new BellhopError('INVALID_INPUT', `--expires-at: given ${JSON.stringify(text)}; a time with its zone is needed, as ${example}.`);
}

export function nothingThere(file: string): undefined {
  process.stderr.write(`There is no database at ${file}, so there is no board. \`bellhop start\` creates it.\n`);
}

export function needed(file: string): never {
  throw new BellhopError('NOT_FOUND', `There is no database at ${file}, so there is no board. \`bellhop start\` creates it.`);
}
