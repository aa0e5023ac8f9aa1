import assert from 'node:assert/strict';
import { type JobStoreConformanceOptions, jobSection, START } from './job-bench.js';

// The contract's numbers, written out: a store is held to these, whatever constants it uses.
const NAME_MAX_CHARACTERS = 255;
const DATA_MAX_BYTES = 256 * 1024;
const ERROR_TEXT_MAX_BYTES = 8 * 1024;
const LONGEST = `😀${'x'.repeat(NAME_MAX_CHARACTERS - 1)}`;

/** What a store is given was checked already: it must hold all that passed the check, to the limit. */
export function jobInputLimitsSection(options: JobStoreConformanceOptions): void {
  jobSection(options, 'input limits', (test) => {
    test('names and keys of 255 characters are kept, told apart, claimed by and found by', async (bench) => {
      const of = { queue: LONGEST, organizationId: LONGEST, groupKey: LONGEST, idempotencyKey: LONGEST, groupConcurrency: 1 };
      const id = await bench.enqueue(of);
      const sibling = await bench.enqueue({ ...of, groupKey: `${LONGEST.slice(0, -1)}y`, idempotencyKey: `${LONGEST.slice(0, -1)}y` });
      assert.notEqual(sibling, id);
      assert.equal(await bench.enqueue(of), id);
      const row = await bench.row(id);
      assert.deepEqual([row.queue, row.organizationId, row.groupKey, row.idempotencyKey], [LONGEST, LONGEST, LONGEST, LONGEST]);
      assert.equal((await bench.store.get(id, { organizationId: LONGEST }))?.id, id);
      assert.equal((await bench.store.stats(LONGEST)).length, 1);
      const claims = await bench.claim({ queue: LONGEST, organizationId: LONGEST, workerId: LONGEST });
      assert.deepEqual(claims.map((claim) => claim.id).sort(), [id, sibling].sort());
      assert.notEqual(claims[0]?.lane, claims[1]?.lane);
      for (const claim of claims) assert.equal(claim.claimedBy, LONGEST);
    });

    test('names are what they are, whatever stands in them: quotes, wildcards, separators', async (bench) => {
      const names = ["a'b", 'a"b', 'a%', 'a_', 'a\\', 'a:b', 'a?b', 'a$1', 'a\u001fb', 'a\nb', 'A', 'a', 'ä', ' '];
      for (const name of names) await bench.enqueue({ queue: name, organizationId: name, groupKey: name, idempotencyKey: name });
      for (const [at, name] of names.entries()) {
        const claim = await bench.claimOne({ queue: name, organizationId: name });
        assert.deepEqual([claim.queue, claim.organizationId, claim.groupKey], [name, name, name]);
        assert.equal((await bench.rows()).filter(({ status }) => status === 'running').length, at + 1);
      }
    });

    test('data of 256 KiB is kept', async (bench) => {
      const data = 'x'.repeat(DATA_MAX_BYTES - 2);
      const id = await bench.enqueue({ data });
      assert.equal((await bench.row(id)).data, data);
      assert.equal((await bench.claimOne()).data, data);
    });

    test('forty jobs of 256 KiB fit into one call', async (bench) => {
      const data = 'é'.repeat(DATA_MAX_BYTES / 2 - 1);
      const ids = await bench.fill(40, { data });
      for (const id of [ids[0], ids[39]]) assert.equal((await bench.row(id as string)).data, data);
      assert.equal((await bench.store.stats())[0]?.pending, 40);
    });

    test('data keeps its texts: what looks like an escape, and what needs one', async (bench) => {
      const data = { text: 'looks like \\u0000 and \\ud83d', 'ke"y\n': ['😀', '\u2028', '\u007f'], n: 1e21, small: 1e-7 };
      const id = await bench.enqueue({ data, metadata: data });
      const row = await bench.row(id);
      assert.deepEqual([row.data, row.metadata], [data, data]);
    });

    test('the largest numbers are kept: priority, attempts, waits, times', async (bench) => {
      const backoff = { type: 'exponential', delayMs: 31_536_000_000, maxDelayMs: 31_536_000_000, jitter: 'full' } as const;
      const of = { priority: 1_000_000, maxAttempts: 1_000, timeoutMs: 31_536_000_000, dueAt: 8.64e15, backoff };
      const id = await bench.enqueue(of);
      const row = await bench.row(id);
      assert.deepEqual({ ...row, ...of }, row);
      assert.equal((await bench.store.survey({ queues: [] })).nextDueAt, 8.64e15);
      assert.equal(await bench.store.promote({ limit: 1, now: 8.64e15 }), 1);
      assert.equal((await bench.claimOne({ leaseMs: 31_536_000_000 })).lockedUntil, START + 31_536_000_000);
    });

    test('error texts are stripped of U+0000 and lone surrogates, and cut to 8 KiB', async (bench) => {
      const id = await bench.enqueue({ maxAttempts: 100 });
      const acked = async (error: unknown): Promise<string> => {
        await bench.ack(await bench.claimOne(), { outcome: 'retry', error: error as string, dueAt: bench.clock.now() });
        return (await bench.row(id)).lastError as string;
      };
      assert.equal(await acked('plain 😀'), 'plain 😀');
      assert.equal(await acked('a\0b\ud83dc\ude00'), 'abc');
      assert.equal((await acked('x'.repeat(ERROR_TEXT_MAX_BYTES))).length, ERROR_TEXT_MAX_BYTES);
      assert.equal((await acked('x'.repeat(1_000_000))).length, ERROR_TEXT_MAX_BYTES);
      const cut = await acked(`x${'😀'.repeat(ERROR_TEXT_MAX_BYTES)}`);
      assert.equal(Buffer.byteLength(cut), ERROR_TEXT_MAX_BYTES - 3);
      assert.doesNotMatch(cut, /\p{Surrogate}/u);
      // An ack that cannot be written makes a job that ran be run again.
      assert.equal(await acked(new Error('thrown')), 'thrown');
      assert.equal(await acked(undefined), '');
      await bench.ack(await bench.claimOne(), { outcome: 'dead', error: 'a\0b' });
      assert.equal((await bench.row(id)).lastError, 'ab');
    });
  });
}
