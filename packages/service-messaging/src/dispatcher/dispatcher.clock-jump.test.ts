import type { SurveyOptions } from '@bellhop/contracts';
import { describe, expect, test } from 'vitest';
import { dispatcherBench, heldChannel } from './dispatcher-bench.fixture.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Two nodes on one machine and one outbox; the first is sending when the wall clock jumps. */
async function jumpWhileSending(options: { secondStartsAfterwards: boolean; secondTicksByHand?: boolean; jumpMs?: number }) {
  const email = heldChannel('email');
  const one = dispatcherBench({ channels: [email.channel], nodeId: 'one', sendTimeoutMs: 2 * MINUTE });
  const join = () =>
    dispatcherBench({ channels: [email.channel], clock: one.clock, memory: one.memory, nodeId: 'two', sendTimeoutMs: 2 * MINUTE });
  const before = options.secondStartsAfterwards ? undefined : join();
  const id = await one.enqueue();
  one.dispatcher.start();
  await one.clock.advance(100);
  before?.dispatcher.start();
  await one.clock.advance(100);
  one.clock.jumpWall(options.jumpMs ?? HOUR);
  const two = before ?? join();
  if (options.secondTicksByHand) void two.dispatcher.tick();
  else two.dispatcher.start();
  two.dispatcher.wake();
  await one.clock.advance(0);
  return { one, two, email, id };
}

describe('a jump of the wall clock', () => {
  test('causes no double send: nobody reaps before the owners had time to renew', async () => {
    const { one, two, email, id } = await jumpWhileSending({ secondStartsAfterwards: false });
    await one.clock.advance(60_000);
    expect(email.sends).toHaveLength(1);
    expect(email.sends[0]?.signal.aborted).toBe(false);
    email.sends[0]?.end();
    await one.clock.advance(100);
    expect(await one.row(id)).toMatchObject({ status: 'success', attempts: 1 });
    await Promise.all([one.stop(), two.dispatcher.stop()]);
  });

  test('causes none when it comes in the middle of a tick, after the survey saw an expired claim', async () => {
    const email = heldChannel('email');
    const one = dispatcherBench({ channels: [email.channel], nodeId: 'one', sendTimeoutMs: 2 * MINUTE });
    const id = await one.enqueue();
    one.dispatcher.start();
    await one.clock.advance(100);
    let jumps: number | undefined;
    const memory = new Proxy(one.memory, {
      get(target, name) {
        const member = Reflect.get(target, name) as unknown;
        if (name !== 'survey') return typeof member === 'function' ? member.bind(target) : member;
        return async (options: SurveyOptions) => {
          const seen = await target.survey(options);
          if (seen.expired && jumps === 0) {
            jumps += 1;
            one.clock.jumpWall(HOUR);
          }
          return seen;
        };
      },
    });
    const two = dispatcherBench({ channels: [email.channel], clock: one.clock, memory, nodeId: 'two', sendTimeoutMs: 2 * MINUTE });
    two.dispatcher.start();
    await one.clock.advance(MINUTE);
    const dead = await one.enqueue({ channel: 'nowhere' });
    await one.memory.claim({ nodeId: 'dead', limit: 1, claimTtlMs: 1, channels: ['nowhere'] });
    await one.clock.advance(1);
    jumps = 0;
    two.dispatcher.wake();
    await one.clock.advance(100);
    // Control: the tick was about to reap, and a claim that had really expired is reaped in the end.
    expect(jumps).toBe(1);
    await one.clock.advance(MINUTE / 2);
    expect(await one.row(dead)).toMatchObject({ status: 'pending' });
    expect(email.sends).toHaveLength(1);
    email.sends[0]?.end();
    await one.clock.advance(100);
    expect(await one.row(id)).toMatchObject({ status: 'success', attempts: 1 });
    await Promise.all([one.stop(), two.dispatcher.stop()]);
  });

  test('causes none by a node that starts after it, and cannot know of it', async () => {
    const { one, two, email, id } = await jumpWhileSending({ secondStartsAfterwards: true });
    await one.clock.advance(MINUTE);
    expect(email.sends).toHaveLength(1);
    email.sends[0]?.end();
    await one.clock.advance(100);
    expect(await one.row(id)).toMatchObject({ status: 'success', attempts: 1 });
    await Promise.all([one.stop(), two.dispatcher.stop()]);
  });

  test('control: a node that neither saw the jump nor waits at its start reaps at once, and sends a second time', async () => {
    const { one, two, email } = await jumpWhileSending({ secondStartsAfterwards: true, secondTicksByHand: true });
    expect(email.sends).toHaveLength(2);
    for (const { end } of email.sends) end();
    await Promise.all([one.stop(), two.dispatcher.stop()]);
  });

  test('a node renews its own claims before its next tick reads expiries', async () => {
    const email = heldChannel('email');
    const { dispatcher, enqueue, clock, row, calls, stop } = dispatcherBench({ channels: [email.channel] });
    const id = await enqueue();
    dispatcher.start();
    await clock.advance(100);
    clock.jumpWall(HOUR);
    dispatcher.wake();
    await clock.advance(0);
    expect(await row(id)).toMatchObject({ status: 'in_flight', claimExpiresAt: clock.now() + 5_000 });
    expect(calls()).toMatchObject({ renew: 1 });
    expect(calls()).not.toHaveProperty('reap');
    email.sends[0]?.end();
    await stop();
  });

  test('a claim that is really dead is reaped one claim TTL later', async () => {
    const { dispatcher, enqueue, clock, claimForDeadNode, channel } = dispatcherBench();
    await enqueue();
    await claimForDeadNode();
    dispatcher.start();
    await clock.advance(100);
    clock.jumpWall(HOUR);
    dispatcher.wake();
    await clock.advance(4_999);
    expect(channel.sent).toHaveLength(0);
    await clock.advance(1);
    expect(channel.sent).toHaveLength(1);
    await dispatcher.stop();
  });

  test('also without survey', async () => {
    const { dispatcher, enqueue, clock, claimForDeadNode, channel, faults } = dispatcherBench({ without: ['survey'] });
    await enqueue();
    await claimForDeadNode();
    dispatcher.start();
    await clock.advance(100);
    expect(faults.calls('reap')).toBe(1);
    clock.jumpWall(HOUR);
    dispatcher.wake();
    await clock.advance(4_999);
    expect(faults.calls('reap')).toBe(1);
    await clock.advance(1);
    expect(channel.sent).toHaveLength(1);
    await dispatcher.stop();
  });

  test('clocks that come apart by no more than a second are no jump', async () => {
    for (const apartMs of [1_000, 1_001]) {
      const { dispatcher, enqueue, clock, claimForDeadNode, channel } = dispatcherBench();
      await enqueue();
      await claimForDeadNode(500);
      clock.jumpWall(apartMs);
      await dispatcher.tick();
      expect(channel.sent).toHaveLength(apartMs === 1_000 ? 1 : 0);
    }
  });
});
