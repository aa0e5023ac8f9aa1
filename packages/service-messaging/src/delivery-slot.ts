import { SLOT_COUNT } from '@bellhop/contracts';
import { InputError } from '@bellhop/kernel';

/**
 * Where a delivery sits in the fixed space of 4096 slots, and which slots a partition holds.
 *
 * The slot is stored, the partition is not: a partition is a range of slots at the moment of asking, so the number of partitions can change
 * while rows wait and strands none of them. All rows of a digest key share a slot, so a group never spans partitions.
 */
export function deliverySlot(key: string): number {
  return fnv1a(key) % SLOT_COUNT;
}

/** First slot of the partition, and the first one after it. */
export interface SlotRange {
  readonly from: number;
  readonly to: number;
}

/**
 * The slots of partition `index` of `count`: ranges of (nearly) one size that together hold every slot exactly once.
 *
 * @param partition absent: all slots. `count` 1 to 4096, `index` 0 to `count` - 1.
 * @throws InputError `INVALID_INPUT`.
 */
export function slotRange(partition: { readonly index: number; readonly count: number } | undefined): SlotRange {
  if (!partition) return { from: 0, to: SLOT_COUNT };
  const { index, count } = partition;
  if (!Number.isInteger(count) || count < 1 || count > SLOT_COUNT) {
    throw new InputError('INVALID_INPUT', `partition.count: ${String(count)} given; an integer from 1 to ${SLOT_COUNT} is allowed.`, {
      path: 'partition.count',
    });
  }
  if (!Number.isInteger(index) || index < 0 || index >= count) {
    throw new InputError(
      'INVALID_INPUT',
      `partition.index: ${String(index)} given; with ${count} partitions, 0 to ${count - 1} is allowed.`,
      {
        path: 'partition.index',
      },
    );
  }
  return { from: Math.floor((index * SLOT_COUNT) / count), to: Math.floor(((index + 1) * SLOT_COUNT) / count) };
}

/** 32-bit FNV-1a over the UTF-8 bytes of `text`. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) {
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  return hash >>> 0;
}
