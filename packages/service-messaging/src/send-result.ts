import type { SendResult } from '@bellhop/contracts';
import { stripText } from '@bellhop/store';

/** What is known of a send after {@link readSendResult}: like `SendResult`, but for the error, which may be anything. */
export interface ReadSendResult extends Omit<SendResult, 'error'> {
  readonly error?: unknown;
}

/**
 * Reads what a channel's `send` resolved to. It comes from code of others and from providers' responses, so that its types are a hope: an id
 * that is no text or number, and a wait that is no time, are left out, because a store that refused them would lose the outcome of a send
 * that was made.
 *
 * @throws Error when there is no result at all: whether it was sent is not known.
 */
export function readSendResult(channel: string, sent: unknown): ReadSendResult {
  const { ok, externalId, error, retryAfterMs } = (sent ?? {}) as Record<keyof SendResult, unknown>;
  if (typeof ok !== 'boolean') throw new Error(`The channel "${channel}" returned no result: \`send\` resolves to { ok }.`);
  const id = externalIdText(externalId);
  return {
    ok,
    ...(id === undefined ? {} : { externalId: id }),
    ...(error === undefined || error === null || error === '' ? {} : { error }),
    ...(typeof retryAfterMs === 'number' && Number.isFinite(retryAfterMs) && retryAfterMs >= 0 ? { retryAfterMs } : {}),
  };
}

/** A provider's id of what it took: a text, or a number as text, fitted to what a store can keep; anything else is none. */
export function externalIdText(value: unknown): string | undefined {
  if (typeof value === 'string') return stripText(value);
  return typeof value === 'bigint' || Number.isFinite(value) ? String(value) : undefined;
}
