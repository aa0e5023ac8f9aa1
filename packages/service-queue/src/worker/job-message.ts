import type { ClaimedJob, JobMessage } from '@bellhop/contracts';

/** What a handler sees of a claimed job. */
export function toMessage({
  id,
  queue,
  organizationId,
  data,
  metadata,
  attempts,
  maxAttempts,
  groupKey,
  createdAt,
}: ClaimedJob): JobMessage {
  return { id, queue, organizationId, data, metadata, attempt: attempts, maxAttempts, groupKey, createdAt };
}
