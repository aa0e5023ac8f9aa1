import { ManualClock } from '@bellhop/testing';
import { expect, it } from 'vitest';
import { type LogLine, recordingLogger } from './notify-bench.fixture.js';
import { SteadyWarnings } from './steady-warnings.js';

it('writes one line per reason in 10 s, which says how many it stands for', async () => {
  const clock = new ManualClock();
  const lines: LogLine[] = [];
  const warnings = new SteadyWarnings(clock, recordingLogger(lines));
  for (let time = 0; time < 4; time += 1) warnings.warn('full', { hookId: 'h' }, 'dropped');
  warnings.warn('other', {}, 'else');
  await clock.advance(9_999);
  warnings.warn('full', { hookId: 'h' }, 'dropped');
  await clock.advance(1);
  warnings.warn('full', { hookId: 'i' }, 'dropped');
  await clock.advance(10_000);
  warnings.warn('full', { hookId: 'j' }, 'dropped');
  expect(lines.map(({ fields }) => fields)).toEqual([
    { hookId: 'h', reason: 'full', suppressed: 0 },
    { reason: 'other', suppressed: 0 },
    { hookId: 'i', reason: 'full', suppressed: 4 },
    { hookId: 'j', reason: 'full', suppressed: 0 },
  ]);
});
