import { expect, it } from 'vitest';
import { type Delivery, DeliveryQueue, SHARES } from './delivery-queue.js';
import { Wake } from './wake.js';

let made = 0;
function delivery(hookId: string, { organizationId = `o-${hookId}`, endpointId = `e-${hookId}` } = {}): Delivery {
  made += 1;
  const wake = new Wake({ id: 'td', organizationId, endpointId, queue: 'q' }, 'created', undefined, 0);
  return { wake, hookId, messageId: `msg_${made}`, attempts: 0, last: undefined };
}

it('is bounded as a whole and for each hook, what is at work or waits for a retry included', () => {
  const queue = new DeliveryQueue(4, { ...SHARES, hook: { begun: 3, atWork: 2 } });
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
  // Another organization has none at work: it comes first.
  expect([queue.next(), queue.next(), queue.next(), queue.next(), queue.next()]).toEqual([a1, b1, a2, b2, undefined]);
  queue.leave(a1);
  expect([queue.next(), queue.next()]).toEqual([a3, undefined]);
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

it('leaves room and workers beside an endpoint with many hooks, and beside an organization with many endpoints', () => {
  const queue = new DeliveryQueue();
  const fill = (hooks: number, of: (hook: number) => { organizationId: string; endpointId: string }) => {
    let begun = 0;
    for (let hook = 0; hook < hooks; hook += 1)
      for (let n = 0; n < 300; n += 1) begun += queue.begin(delivery(`h${hook}`, of(hook))) ? 1 : 0;
    return begun;
  };
  expect(fill(5, () => ({ organizationId: 'evil', endpointId: 'one' }))).toBe(SHARES.endpoint.begun);
  const taken = () => {
    let workers = 0;
    while (queue.next()) workers += 1;
    return workers;
  };
  expect(taken()).toBe(SHARES.endpoint.atWork);
  expect(fill(9, (hook) => ({ organizationId: 'evil', endpointId: `e${hook}` }))).toBe(SHARES.organization.begun - SHARES.endpoint.begun);
  expect(taken()).toBe(SHARES.organization.atWork - SHARES.endpoint.atWork);
  const other = delivery('healthy');
  expect([queue.begin(other), queue.next()]).toEqual([true, other]);
});
