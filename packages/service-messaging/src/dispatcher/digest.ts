import { createHash } from 'node:crypto';
import { type ChannelDelivery, type ClaimedDelivery, SEVERITIES, type Severity } from '@bellhop/contracts';
import { channelDelivery } from '../channel-delivery.js';

/** One notification of a digest, as the digest's payload carries it. */
export interface DigestItem {
  readonly notificationId: string;
  readonly title: string;
  readonly body: string;
  readonly topic: string | null;
  readonly actionUrl: string | null;
  readonly severity: Severity;
}

/**
 * The one message that the rows of a digest group become. A single row is sent as it is.
 *
 * Nothing of an item is lost: title, body, link and severity are in the payload, the highest severity is the message's. A row whose payload
 * is no object shows as an untitled item: it must not keep the others from arriving.
 *
 * @param rows at least one, of one recipient and channel, in any order.
 */
export function renderDigest(rows: readonly ClaimedDelivery[]): ChannelDelivery {
  const ordered = [...rows].sort((left, right) => left.createdAt - right.createdAt || (left.id < right.id ? -1 : 1));
  const first = ordered[0] as ClaimedDelivery;
  if (ordered.length === 1) return channelDelivery(first);
  const items = ordered.map(digestItem);
  return {
    deliveryId: digestDeliveryId(ordered),
    notificationId: first.notificationId,
    organizationId: first.organizationId,
    recipientId: first.recipientId,
    topic: ordered.every(({ topic }) => topic === first.topic) ? first.topic : null,
    title: `You have ${items.length} notifications`,
    body: items.map(({ title }) => `- ${title}`).join('\n'),
    severity: highest(items.map(({ severity }) => severity)),
    actionUrl: null,
    payload: { digest: true, count: items.length, items },
    attempt: Math.max(...ordered.map(({ attempts }) => attempts)),
    createdAt: first.createdAt,
  };
}

/**
 * Stable across retries, whatever becomes of single rows between them (one may be cancelled): made from the name of the group's closing. An
 * outbox that names none leaves the first row's id.
 */
export function digestDeliveryId(ordered: readonly ClaimedDelivery[]): string {
  const first = ordered[0] as ClaimedDelivery;
  if (!first.digestGroup) return first.id;
  return `digest-${createHash('sha256').update(first.digestGroup).digest('hex').slice(0, 32)}`;
}

function digestItem({ notificationId, topic, payload }: ClaimedDelivery): DigestItem {
  const shown: Readonly<Record<string, unknown>> = typeof payload === 'object' && payload !== null ? payload : {};
  return {
    notificationId,
    title: text(shown.title) || topic || 'Notification',
    body: text(shown.body),
    topic,
    actionUrl: text(shown.actionUrl) || null,
    severity: SEVERITIES.find((severity) => severity === shown.severity) ?? 'info',
  };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function highest(severities: readonly Severity[]): Severity {
  return SEVERITIES[Math.max(...severities.map((severity) => SEVERITIES.indexOf(severity)))] as Severity;
}
