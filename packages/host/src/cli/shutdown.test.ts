import { EventEmitter } from 'node:events';
import { ManualClock } from '@bellhop/testing';
import { describe, expect, it } from 'vitest';
import { type ShutdownParts, STOP_DEADLINE_MS, stopOnSignals } from './shutdown.js';

function watched(stop: ShutdownParts['stop']) {
  const clock = new ManualClock();
  const signals = new EventEmitter();
  const exits: unknown[] = [];
  const lines: string[] = [];
  const target = Object.assign(signals, { exit: (code: unknown) => void exits.push(code) }) as unknown as NonNullable<
    ShutdownParts['process']
  >;
  stopOnSignals({ clock, stop, report: (line) => void lines.push(line), process: target });
  return { clock, signals, exits, lines };
}

describe('signals', () => {
  it('stop once, then end the process with 0', async () => {
    const asked: string[] = [];
    const { signals, exits, clock } = watched(async (signal) => void asked.push(signal));
    signals.emit('SIGTERM');
    await clock.advance(0);
    expect([asked, exits]).toEqual([['SIGTERM'], [0]]);
  });

  it('end it at once when they come again, with the code a shell expects', () => {
    const { signals, exits } = watched(() => new Promise(() => {}));
    signals.emit('SIGTERM');
    expect(exits).toEqual([]);
    signals.emit('SIGINT');
    expect(exits).toEqual([130]);
  });

  it(`end it with 1 after ${STOP_DEADLINE_MS} ms, and say so`, async () => {
    const { signals, exits, lines, clock } = watched(() => new Promise(() => {}));
    signals.emit('SIGINT');
    await clock.advance(STOP_DEADLINE_MS - 1);
    expect(exits).toEqual([]);
    await clock.advance(1);
    expect(exits).toEqual([1]);
    expect(lines).toEqual([expect.stringContaining('took longer than 10000 ms')]);
  });

  it('end it with 1 when the stop fails, and say why', async () => {
    const { signals, exits, lines, clock } = watched(() => Promise.reject(new Error('disk full')));
    signals.emit('SIGTERM');
    await clock.advance(0);
    expect([exits, lines]).toEqual([[1], [expect.stringContaining('disk full')]]);
  });
});
