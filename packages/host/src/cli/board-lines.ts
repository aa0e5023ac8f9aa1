// Endpoints, todos and stalls as lines of the command line. Texts of others never break a line or reach the terminal as control characters.
import type { BoardEndpoint, StallExplanation, Todo } from '@bellhop/contracts';
import { duration, plain, quoted } from './queue-lines.js';

export function endpointLine({ id, slug, state, queues, credentialPrefix, createdAt, expiresAt, revokedAt }: BoardEndpoint): string {
  const ended = revokedAt === null ? [] : [`at ${iso(revokedAt)}`];
  return [
    plain(id),
    quoted(slug),
    [state, ...ended].join(' '),
    plain(credentialPrefix),
    `queues ${queues.map(quoted).join(', ')}`,
    `made ${iso(createdAt)}`,
    ...(expiresAt === null ? [] : [`expires ${iso(expiresAt)}`]),
  ].join('  ');
}

/** @param now epoch milliseconds. */
export function todoLine(
  { id, queue, state, title, attempt, maxAttempts, nextRetryAt, pendingSince, claimant }: Todo,
  now: number,
): string {
  const details: Readonly<Record<Todo['state'], string[]>> = {
    pending: [`for ${duration(Math.max(0, now - pendingSince))}`],
    claimed: claimant === null ? [] : [`by ${quoted(claimant)}`],
    failed: [nextRetryAt === null ? 'dead letter' : `next attempt ${iso(nextRetryAt)}`],
    done: [],
  };
  return [plain(id), quoted(queue), [state, ...details[state]].join(' '), `attempt ${attempt} of ${maxAttempts}`, quoted(title)].join('  ');
}

export function stallLines({ state, reason, nextWakeAt, change }: StallExplanation): string[] {
  return [
    `state: ${state}`,
    `reason: ${plain(reason)}`,
    `next wake: ${nextWakeAt === null ? 'none' : iso(nextWakeAt)}`,
    `change: ${plain(change)}`,
  ];
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
