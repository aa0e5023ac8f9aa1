import { type LogFields, silentLogger } from '@bellhop/kernel';
import { expect, it } from 'vitest';
import { NudgeTally } from './nudge-counts.js';
import { MAX_NUDGES } from './pace.js';

function tallied() {
  const warnings: LogFields[] = [];
  return { warnings, tally: new NudgeTally({ ...silentLogger, warn: (fields) => void warnings.push(fields) }) };
}

it('counts a thousand queue names by themselves, and all others together', () => {
  const { tally } = tallied();
  for (let index = 0; index < 1_010; index += 1) {
    tally.charged({ endpointId: 'ep', queue: `q${index}`, nudges: 1, lastNudgedAt: index });
  }
  tally.suppressed({ endpointId: 'ep', queue: 'q5' });
  const counts = tally.counts();
  expect(counts).toHaveLength(1_001);
  expect(counts.find(({ queue }) => queue === 'q5')).toEqual({ queue: 'q5', charged: 1, delivered: 0, suppressed: 1, exhausted: 0 });
  expect(counts.find(({ queue }) => queue === '__other__')).toMatchObject({ charged: 10 });
});

it('G12: warns of the last nudge it charged, once, and of no other', () => {
  const { tally, warnings } = tallied();
  const last = { endpointId: 'ep', queue: 'mail', nudges: MAX_NUDGES, lastNudgedAt: 1 };
  // Another process charged it.
  tally.seen(last);
  tally.charged({ ...last, nudges: MAX_NUDGES - 1 });
  tally.delivered(last, 1);
  expect(warnings).toEqual([]);
  tally.charged(last);
  tally.delivered(last, 0);
  expect(warnings).toEqual([]);
  tally.delivered(last, 1);
  tally.seen(last);
  expect(warnings).toEqual([{ endpointId: 'ep', queue: 'mail', nudges: MAX_NUDGES }]);
});

it('does not warn where a sweep sees that the nudge no longer stands', () => {
  const { tally, warnings } = tallied();
  const last = { endpointId: 'ep', queue: 'mail', nudges: MAX_NUDGES, lastNudgedAt: 1 };
  tally.charged(last);
  tally.seen({ ...last, nudges: MAX_NUDGES - 1 });
  tally.seen(last);
  expect(warnings).toEqual([]);
  tally.charged(last);
  tally.seen(last);
  expect(warnings).toHaveLength(1);
});
