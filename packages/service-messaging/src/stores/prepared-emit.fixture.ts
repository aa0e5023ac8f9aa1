import { type Random, systemRandom } from '@bellhop/kernel';
import { createIdSource } from '@bellhop/store';
import { deliverySlot } from '../delivery-slot.js';
import type { PreparedEmit } from '../emit-writer.js';

/** Makes emits that are ready to be written, each with ids of its own. */
export function preparedEmits(now: number, random: Random = systemRandom) {
  const nextId = createIdSource({ clock: { now: () => now }, random });
  return (options: { recipients?: number; dedupKey?: string; organizationId?: string; topic?: string } = {}): PreparedEmit => {
    const { recipients = 1, dedupKey = null, organizationId = 'acme', topic = 'order.placed' } = options;
    const payload = { title: 'Title', body: '', severity: 'info' as const };
    const event = { id: nextId(), organizationId, topic, payload, severity: 'info' as const, dedupKey };
    return {
      event: { ...event, source: null, actorId: null, suppressed: [], createdAt: now },
      eventPayloadText: JSON.stringify(payload),
      payload,
      payloadText: JSON.stringify(payload),
      deliveries: Array.from({ length: recipients }, (_, index) => {
        const id = nextId();
        return { id, recipientId: `user-${index}`, channel: 'inbox', dueAt: now, digestKey: null, slot: deliverySlot(id) };
      }),
    };
  };
}
