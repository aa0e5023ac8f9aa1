import type { Store } from '@bellhop/contracts';
import { type Child, startChild, type TestDatabase, testDatabase } from '@bellhop/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { queueMigrations } from '../migrations/queue-migrations.js';
import { QueueService } from '../queue-service.js';
import { SqlJobStore } from '../stores/sql-job-store.js';
import type { Act, Report } from './worker-process.fixture.js';

const LEASE_MS = 1_000;

describe.each([
  { name: 'sqlite', count: 4 },
  { name: 'postgres', count: 2 },
] as const)('worker processes on $name', ({ name, count }) => {
  let database: TestDatabase;
  let store: Store;
  let service: QueueService;
  let jobs: SqlJobStore;
  const children: Child[] = [];

  beforeAll(async () => {
    database = await testDatabase(name);
    store = await database.open();
    await store.migrate(queueMigrations);
    jobs = new SqlJobStore({ store });
    service = new QueueService();
    service.attach({ jobs });
    await Promise.all(Array.from({ length: count }, startOne));
  });
  afterAll(async () => {
    await Promise.all(children.map((child) => child.kill()));
    await database.drop();
  });

  async function startOne(): Promise<Child> {
    const child = startChild(new URL('./worker-process.fixture.ts', import.meta.url), { args: [database.options.url as string] });
    children.push(child);
    await child.message(has('ready'));
    return child;
  }

  const has = (field: string) => (message: unknown) => typeof message === 'object' && message !== null && field in message;
  async function tell<T = unknown>(child: Child, order: string, about: Readonly<Record<string, unknown>> = {}): Promise<T> {
    child.send({ order, ...about });
    return (await child.message<{ answer: T }>(has('answer'))).answer;
  }
  const work = (child: Child, of: string, act: Act, concurrency = 10) =>
    tell(child, 'work', { of, act, options: { leaseMs: LEASE_MS, concurrency } });
  const report = (child: Child, of: string) => tell<Report>(child, 'report', { of });

  /** Jobs of the queue by their status and attempts: `completed 1`. */
  async function states(queue: string): Promise<Record<string, number>> {
    const rows: { status: string; attempts: number; n: number | string }[] = await store
      .knex('queue_job')
      .where({ queue })
      .groupBy('status', 'attempts')
      .select('status', 'attempts')
      .count({ n: '*' });
    return Object.fromEntries(rows.map(({ status, attempts, n }) => [`${status} ${attempts}`, Number(n)]));
  }
  const become = (queue: string, expected: Record<string, number>) =>
    vi.waitFor(async () => expect(await states(queue)).toEqual(expected), { timeout: 25_000, interval: 50 });

  test.each([...new Set([2, count])])('%i of them run each of 10 000 jobs once, and no contention surfaces to anybody', async (workers) => {
    const queue = `each-once-${workers}`;
    const those = children.slice(0, workers);
    await Promise.all(those.map((child) => tell(child, 'publish', { to: queue, count: 10_000 / workers })));
    expect(await states(queue)).toEqual({ 'pending 0': 10_000 });
    await Promise.all(those.map((child) => tell(child, 'work', { of: queue, act: 'record' })));
    await become(queue, { 'completed 1': 10_000 });
    const reports = await Promise.all(those.map((child) => report(child, queue)));
    const ids = reports.flatMap(({ runs }) => runs.map(({ id }) => id));
    expect(ids).toHaveLength(10_000);
    expect(new Set(ids).size).toBe(10_000);
    expect(reports.flatMap(({ logged }) => logged)).toEqual([]);
    // Control: each of them took part, so they did contend.
    for (const { runs } of reports) expect(runs.length).toBeGreaterThan(0);
    await Promise.all(those.map((child) => tell(child, 'leave', { of: queue })));
  });

  test('kill -9 of one that holds ten jobs: all ten run again when their leases have ended, none before, and none is lost', async () => {
    const queue = 'killed';
    const [survivor] = children as [Child];
    const killed = await startOne();
    await work(killed, queue, 'hold');
    await service.publishMany(
      queue,
      Array.from({ length: 12 }, (_, data) => ({ data })),
    );
    const held = new Set<string>();
    while (held.size < 10) held.add((await killed.message<{ holds: string }>(has('holds'))).holds);
    expect(await killed.kill('SIGKILL')).toMatchObject({ signal: 'SIGKILL' });
    const leases = new Map((await Promise.all([...held].map((id) => jobs.get(id)))).map((job) => [job?.id, job?.lockedUntil]));
    await work(survivor, queue, 'record');
    await become(queue, { 'completed 1': 2, 'completed 2': 10 });
    const { runs, logged } = await report(survivor, queue);
    const again = runs.filter(({ id }) => held.has(id));
    expect(again.map(({ attempt }) => attempt)).toEqual(Array(10).fill(2));
    expect(new Set(again.map(({ id }) => id))).toEqual(held);
    for (const { id, at } of again) expect(at).toBeGreaterThanOrEqual(leases.get(id) as number);
    expect(runs).toHaveLength(12);
    expect(logged).toEqual([]);
    await tell(survivor, 'leave', { of: queue });
  });

  test('one that is suspended for longer than its lease: the handler that outlived it is aborted, and its late completion changes nothing', async () => {
    const queue = 'suspended';
    const [taker, suspended] = children as [Child, Child];
    await work(suspended, queue, 'hold');
    const { id } = await service.publish(queue, 1);
    await suspended.message(has('holds'));
    process.kill(suspended.pid, 'SIGSTOP');
    await work(taker, queue, 'record');
    await become(queue, { 'completed 2': 1 });
    const after = await jobs.get(id);
    process.kill(suspended.pid, 'SIGCONT');
    expect(await suspended.message<{ aborted: string; why: string }>(has('aborted'))).toMatchObject({
      aborted: id,
      why: expect.stringContaining('lost'),
    });
    const { lost } = await report(suspended, queue);
    expect(lost).toBeGreaterThan(0);
    await tell(suspended, 'finish');
    expect(await jobs.get(id)).toEqual(after);
    expect((await report(taker, queue)).runs).toMatchObject([{ id, attempt: 2 }]);
    await Promise.all([taker, suspended].map((child) => tell(child, 'leave', { of: queue })));
  });

  test('one whose event loop is blocked past its lease loses the job to another, hears of it, and works on', async () => {
    const queue = 'blocked';
    const [taker] = children as [Child];
    const blocked = await startOne();
    await work(blocked, queue, 'block');
    const { id } = await service.publish(queue, 1);
    await blocked.message(has('holds'));
    await work(taker, queue, 'record');
    await become(queue, { 'completed 2': 1 });
    expect(await blocked.message(has('aborted'))).toMatchObject({ aborted: id });
    await tell(blocked, 'finish');
    await tell(taker, 'leave', { of: queue });
    expect(await states(queue)).toEqual({ 'completed 2': 1 });
    await service.publish(queue, 'quick');
    await become(queue, { 'completed 1': 1, 'completed 2': 1 });
    expect((await report(blocked, queue)).runs).toMatchObject([{ id, attempt: 1 }, { attempt: 1 }]);
  });
});
