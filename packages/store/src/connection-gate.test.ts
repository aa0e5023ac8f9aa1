import { ManualClock } from '@bellhop/testing';
import { describe, expect, it } from 'vitest';
import { ConnectionGate } from './connection-gate.js';

describe('the gate of a connection', () => {
  it('lets in one at a time, in the order they came', async () => {
    const gate = new ConnectionGate(new ManualClock());
    const order: string[] = [];
    const enter = async (who: string) => {
      await gate.acquire();
      order.push(who);
    };
    await enter('a');
    const waiting = [enter('b'), enter('c')];
    gate.release();
    await waiting[0];
    expect(order).toEqual(['a', 'b']);
    gate.release();
    await waiting[1];
    expect(order).toEqual(['a', 'b', 'c']);
  });

  it('[trx-required] knows who is inside, and for how long', async () => {
    const gate = new ConnectionGate(new ManualClock());
    await gate.acquire();
    let later: () => void = () => {};
    const afterwards = new Promise<void>((resolve) => {
      later = resolve;
    });
    let followUp: Promise<unknown> = Promise.resolve();
    await gate.inside(async () => {
      const refused = gate.acquire().then(
        () => 'let in',
        (error) => error.code,
      );
      const waits = new Promise((resolve) => setImmediate(() => resolve('waits')));
      expect(await Promise.race([refused, waits])).toBe('TRX_REQUIRED');
      // Begun inside, but it goes on after the transaction: nothing waits for itself then.
      followUp = afterwards.then(() => gate.acquire());
    });
    gate.release();
    later();
    await followUp;
  });

  it('tells who waits for a minute that the holder may never end, and serves the rest', async () => {
    const clock = new ManualClock();
    const gate = new ConnectionGate(clock);
    await gate.acquire();
    const stuck = gate.acquire().catch((error) => error);
    await clock.advance(59_999);
    const patient = gate.acquire();
    await clock.advance(1);
    expect(await stuck).toMatchObject({ code: 'STORE_BUSY' });
    gate.release();
    await patient;
  });
});
