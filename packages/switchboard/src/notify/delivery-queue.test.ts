import { expect, it } from 'vitest';
import { type Delivery, DeliveryQueue } from './delivery-queue.js';
import { Wake } from './wake.js';

let made = 0;
function delivery(hookId: string): Delivery {
  made += 1;
  const wake = new Wake({ id: 'td', organizationId: 'o', endpointId: 'e', queue: 'q' }, 'created', undefined, 0);
  return { wake, hookId, messageId: `msg_${made}`, attempts: 0, last: undefined };
}

it('is bounded as a whole and for each hook, what is at work or waits for a retry included', () => {
  const queue = new DeliveryQueue(4, 3);
  const [one, two, three] = [delivery('a'), delivery('a'), delivery('a')];
  expect([one, two, three, delivery('a')].map((each) => queue.begin(each))).toEqual([true, true, true, false]);
  expect(queue.next()).toBe(one);
  expect(queue.begin(delivery('a'))).toBe(false);
  expect(queue.begin(delivery('b'))).toBe(true);
  expect(queue.begin(delivery('c'))).toBe(false);
  queue.leave(one);
  queue.end(one);
  expect(queue.begin(delivery('c'))).toBe(true);
});

it('passes a hook by that has two at work, and keeps the order of the others', () => {
  const queue = new DeliveryQueue();
  const [a1, a2, a3, b1, b2] = [delivery('a'), delivery('a'), delivery('a'), delivery('b'), delivery('b')];
  for (const each of [a1, a2, a3, b1, b2]) queue.begin(each);
  expect([queue.next(), queue.next(), queue.next()]).toEqual([a1, a2, b1]);
  queue.leave(a1);
  expect([queue.next(), queue.next(), queue.next()]).toEqual([a3, b2, undefined]);
});

it('takes a delivery in again for its retry, and gives out what waits when it is cleared', () => {
  const queue = new DeliveryQueue();
  const [one, two] = [delivery('a'), delivery('a')];
  queue.begin(one);
  queue.begin(two);
  queue.next();
  queue.leave(one);
  queue.again(one);
  expect(queue.clear()).toEqual([two, one]);
  expect(queue.next()).toBeUndefined();
});
