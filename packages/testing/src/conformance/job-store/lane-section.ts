import assert from 'node:assert/strict';
import type { ClaimedJob } from '@bellhop/contracts';
import { type ClaimOverrides, type JobBench, type JobOverrides, type JobStoreConformanceOptions, jobSection } from './job-bench.js';

/** Lanes of three organizations, two of them with groups, so that both parts of a lane count. */
const LANES: readonly JobOverrides[] = [
  { organizationId: 'acme', groupKey: 'g1' },
  { organizationId: 'acme', groupKey: 'g2' },
  { organizationId: 'acme' },
  { organizationId: 'globex' },
  { organizationId: 'umbrella', groupKey: 'g1' },
];

export function laneSection(options: JobStoreConformanceOptions): void {
  jobSection(options, 'lanes', (test) => {
    test('are of an organization and a group', async (bench) => {
      const lanes = new Map<string, Set<string>>();
      for (const of of [...LANES, ...LANES, { organizationId: 'globex', groupKey: 'g1' }]) {
        await bench.enqueue(of);
        const { lane, organizationId, groupKey } = await bench.claimOne();
        const name = JSON.stringify([organizationId, groupKey]);
        lanes.set(name, (lanes.get(name) ?? new Set()).add(lane));
      }
      assert.deepEqual(
        [...lanes.values()].map((set) => set.size),
        [1, 1, 1, 1, 1, 1],
      );
      assert.equal(new Set([...lanes.values()].flatMap((set) => [...set])).size, 6);
    });

    test('[Q12] are served in turn, one job each, whatever the backlog, the due times and the priorities', async (bench) => {
      await bench.fill(100, { organizationId: 'acme', priority: 0, dueAt: bench.clock.now() - 60_000 });
      const waiting = [
        await bench.enqueue({ organizationId: 'globex', priority: 1_000 }),
        await bench.enqueue({ organizationId: 'umbrella', priority: 1_000 }),
      ];
      const claimed = await bench.claimIds({ limit: 3 });
      for (const id of waiting) assert.ok(claimed.includes(id), 'a tenant with one job has its turn');
      assert.equal(claimed.length, 3);
    });

    test('[Q12] share a claim evenly', async (bench) => {
      await fillLanes(bench, 10);
      const claimed = await bench.claim({ limit: 14 });
      assert.ok(claimed.length <= 14, 'no more than the limit, also where that is in the middle of a turn');
      const counts = countByLane(claimed);
      assert.equal(counts.length, LANES.length);
      assert.ok(Math.max(...counts) - Math.min(...counts) <= 1, `no lane is two jobs ahead of another: ${counts.join()}`);
    });

    test('go round in the byte order of their texts, and within each turn a lane gives its next job', async (bench) => {
      await fillLanes(bench, 3);
      await bench.fill(3, { organizationId: '\ufffd' });
      await bench.fill(3, { organizationId: '😀' });
      const claimed = await bench.claim({ limit: 21 });
      const lanes = claimed.slice(0, 7).map(({ lane }) => lane);
      assert.equal(new Set(lanes).size, 7);
      assert.deepEqual(
        lanes,
        [...lanes].sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right))),
      );
      assert.deepEqual(lanesOf(claimed), [...lanes, ...lanes, ...lanes].slice(0, claimed.length));
      for (const lane of lanes) {
        const ids = claimed.filter((job) => job.lane === lane).map(({ id }) => id);
        assert.deepEqual(ids, [...ids].sort());
      }
    });

    test('[Q12] begin with the one after afterLane, and go round', async (bench) => {
      await fillLanes(bench, 20);
      const lanes = lanesOf(await inTurn(bench));
      for (const [at, afterLane] of lanes.entries()) {
        const next = [...lanes.slice(at + 1), ...lanes.slice(0, at + 1)];
        const claimed = await bench.claim({ limit: 5, afterLane });
        assert.deepEqual(
          claimed.map(({ lane }) => lane),
          next,
        );
      }
    });

    test('[Q12] all have their turn under claims of one job, each after the lane of the one before', async (bench) => {
      await fillLanes(bench, 4);
      const served = await oneByOne(bench, 20);
      assert.equal(new Set(served.slice(0, 5)).size, 5);
      for (let at = 5; at < 20; at += 1) assert.equal(served[at], served[at - 5]);
    });

    test('begin with the first one without afterLane (control: it is what moves them)', async (bench) => {
      await fillLanes(bench, 2);
      const first = await bench.claimOne({ limit: 1 });
      assert.equal((await bench.claimOne({ limit: 1 })).lane, first.lane);
      assert.notEqual((await bench.claimOne({ limit: 1 })).lane, first.lane);
    });

    test('go on from an afterLane that holds nothing any more, or never did', async (bench) => {
      await fillLanes(bench, 3);
      const turns = await inTurn(bench);
      await bench.store.purge('mail', { organizationId: 'globex' });
      const gone = turns.findIndex(({ organizationId }) => organizationId === 'globex');
      assert.ok(gone >= 0);
      const left = lanesOf(turns.filter((_, at) => at !== gone));
      const after = await bench.claim({ limit: 4, afterLane: turns[gone]!.lane });
      assert.deepEqual(lanesOf(after), [...left.slice(gone), ...left.slice(0, gone)]);
      assert.deepEqual(lanesOf(await bench.claim({ limit: 4, afterLane: '\u{10ffff}' })), left);
    });

    test('are served in turn within an organization, from an afterLane of another one, too', async (bench) => {
      await fillLanes(bench, 6);
      const turns = await inTurn(bench);
      const own = lanesOf(turns.filter(({ organizationId }) => organizationId === 'acme'));
      assert.equal(own.length, 3);
      const filter: ClaimOverrides = { organizationId: 'acme', limit: 3 };
      assert.deepEqual(lanesOf(await bench.claim(filter)), own);
      assert.deepEqual(lanesOf(await bench.claim({ ...filter, afterLane: own[0] as string })), [own[1], own[2], own[0]]);
      assert.deepEqual(lanesOf(await bench.claim({ ...filter, afterLane: turns.at(-1)!.lane })), own);
    });

    test('of groups with a cap take their turn among those without', async (bench) => {
      const capped = { groupConcurrency: 100 };
      for (const of of LANES) await bench.fill(6, of);
      await bench.fill(6, { organizationId: 'acme', groupKey: 'h1', ...capped });
      await bench.fill(6, { organizationId: 'umbrella', groupKey: 'a1', ...capped });
      const served = await oneByOne(bench, 21);
      assert.equal(new Set(served.slice(0, 7)).size, 7);
      for (let at = 7; at < 21; at += 1) assert.equal(served[at], served[at - 7]);
      const together = lanesOf(await bench.claim({ limit: 7 }));
      assert.equal(new Set(together).size, 7);
    });

    test('give everything in the end, each job once, also where they are uneven', async (bench) => {
      await fillLanes(bench, 2);
      const busy = await bench.fill(60, { organizationId: 'busy' });
      const taken: string[] = [];
      for (let round = 0; round < 70; round += 1) {
        const claimed = await bench.claim({ limit: 10 });
        if (claimed.length === 0) break;
        taken.push(...claimed.map(({ id }) => id));
      }
      assert.equal(taken.length, 70);
      assert.equal(new Set(taken).size, 70);
      assert.deepEqual(
        taken.filter((id) => busy.includes(id)),
        busy,
      );
    });

    test('outnumbering the limit are served over several claims', async (bench) => {
      for (let at = 0; at < 30; at += 1) await bench.fill(2, { organizationId: `tenant-${String(at).padStart(2, '0')}` });
      const served: string[] = [];
      for (let round = 0; round < 6; round += 1) {
        const afterLane = served.at(-1);
        const claimed = await bench.claim({ limit: 10, ...(afterLane === undefined ? {} : { afterLane }) });
        assert.equal(claimed.length, 10);
        served.push(...lanesOf(claimed));
      }
      assert.equal(new Set(served.slice(0, 30)).size, 30);
      assert.deepEqual(served.slice(30), served.slice(0, 30));
    });
  });
}

async function fillLanes(bench: JobBench, each: number): Promise<void> {
  for (const of of LANES) await bench.fill(each, of);
}

/** A job of each lane, in the order of their turns. Takes nothing. */
async function inTurn(bench: JobBench): Promise<ClaimedJob[]> {
  const claims = await bench.claim({ limit: LANES.length });
  assert.equal(new Set(lanesOf(claims)).size, LANES.length);
  await bench.store.release(claims);
  return claims;
}

async function oneByOne(bench: JobBench, count: number): Promise<string[]> {
  const served: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const afterLane = served.at(-1);
    served.push((await bench.claimOne({ limit: 1, ...(afterLane === undefined ? {} : { afterLane }) })).lane);
  }
  return served;
}

function lanesOf(claims: readonly ClaimedJob[]): string[] {
  return claims.map(({ lane }) => lane);
}

function countByLane(claims: readonly ClaimedJob[]): number[] {
  const counts = new Map<string, number>();
  for (const { lane } of claims) counts.set(lane, (counts.get(lane) ?? 0) + 1);
  return [...counts.values()];
}
