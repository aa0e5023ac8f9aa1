import type { WakeOutcomeKind } from '@bellhop/contracts';
import { expect, it } from 'vitest';
import { Wake } from './wake.js';

it.each<[WakeOutcomeKind[], WakeOutcomeKind]>([
  [['suppressed', 'delivered', 'failed', 'dropped'], 'delivered'],
  [['suppressed', 'dropped', 'failed'], 'failed'],
  [['suppressed', 'dropped'], 'dropped'],
  [['suppressed', 'suppressed'], 'suppressed'],
])('of deliveries that end %j a wake is %s, told with the last', (ends, outcome) => {
  const wake = new Wake({ id: 'td', organizationId: 'o', endpointId: 'e', queue: 'q' }, 'created', undefined, 0);
  wake.expect(ends.length);
  expect(ends.map((end) => wake.end(end))).toEqual([...Array(ends.length - 1).fill(undefined), outcome]);
});
