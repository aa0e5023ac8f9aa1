import type { OutboundResult } from '@bellhop/outbound';

/** What came of one POST, as it is counted and kept with the hook. */
export const ATTEMPT_CLASSES = ['2xx', '3xx', '4xx', '5xx', 'timeout', 'network', 'tls', 'dns', 'refused'] as const;
export type AttemptClass = (typeof ATTEMPT_CLASSES)[number];

export interface AttemptVerdict {
  readonly class: AttemptClass;
  /** Another attempt may fare better. A redirect is never followed, and a refusal by the guard is final. */
  readonly retry: boolean;
}

const RETRIED_STATUS: ReadonlySet<number> = new Set([408, 429]);

/** Null: it was ended from here, which says nothing of the receiver. */
export function verdictOf(result: OutboundResult): AttemptVerdict | null {
  if (result.kind === 'failed') return result.cause === 'aborted' ? null : { class: result.cause, retry: result.cause !== 'refused' };
  const { status } = result;
  if (status >= 200 && status < 300) return { class: '2xx', retry: false };
  if (status >= 300 && status < 400) return { class: '3xx', retry: false };
  if (status >= 400 && status < 500) return { class: '4xx', retry: RETRIED_STATUS.has(status) };
  return { class: '5xx', retry: true };
}
