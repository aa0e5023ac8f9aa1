/**
 * Where a job stands in its lane: one point of priority puts it 6 s behind a job of its due time. Both age at one rate, so the order of two
 * waiting jobs never changes, and no steady stream of urgent jobs starves a patient one.
 */
export const PRIORITY_POINT_MS = 6_000;

/** Epoch milliseconds; lower goes first. A safe integer for every due time and priority that is let in. */
export function rankAt({ dueAt, priority }: { readonly dueAt: number; readonly priority: number }): number {
  return dueAt + priority * PRIORITY_POINT_MS;
}
