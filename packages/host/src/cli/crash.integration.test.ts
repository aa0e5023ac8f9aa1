import { join } from 'node:path';
import { openStore } from '@bellhop/store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CommandLine } from './command-line.fixture.js';

let line: CommandLine;
beforeEach(() => {
  line = new CommandLine();
});
afterEach(() => line.end());

/** A channel that holds every send while HOLD is set, and says what it does on standard output. */
const CONFIG = `
  export default {
    database: { url: 'file:crash.db' },
    messaging: { claimTtlMs: 1000, concurrency: 4, batchSize: 4, dispatchMaxIdleIntervalMs: 1000 },
    channels: [{
      id: 'slow',
      async send(_context, { recipientId, attempt }) {
        if (process.env.HOLD) {
          console.log('holding ' + recipientId);
          await new Promise(() => {});
        }
        console.log('sent ' + recipientId + ' ' + attempt);
        return { ok: true };
      },
    }],
  };`;

describe('kill -9 of a host that holds claims', () => {
  it('loses nothing: the next start makes every delivery whose emit was answered', async () => {
    line.write('bellhop.config.ts', CONFIG);
    const { child, url } = await line.start([], { BELLHOP_API_KEY: 'k', HOLD: 'yes' });
    const accepted = new Set<string>();
    let answered = 0;
    let enough = () => {};
    const manyAnswered = new Promise<void>((resolve) => {
      enough = resolve;
    });
    const emit = async (n: number): Promise<void> => {
      const response = await fetch(`${url}/v1/notifications`, {
        method: 'POST',
        headers: { Authorization: 'Bearer k', 'Content-Type': 'application/json' },
        body: JSON.stringify({ topic: 't', audience: `user-${n}`, channels: ['slow'] }),
      });
      if (response.status !== 202) return;
      accepted.add(`user-${n}`);
      answered += 1;
      if (answered === 40) enough();
    };
    // Most fail when the host is killed; that is not theirs to tell.
    const emits = Promise.allSettled(Array.from({ length: 200 }, (_, n) => emit(n)));
    for (let held = 0; held < 4; held += 1) await child.line(/^holding /);
    await manyAnswered;
    expect(await child.kill('SIGKILL')).toMatchObject({ signal: 'SIGKILL' });
    await emits;
    expect(await statuses()).toMatchObject({ in_flight: expect.any(Number) });

    const { child: next, url: nextUrl } = await line.start([], { BELLHOP_API_KEY: 'k' });
    const sent = new Map<string, number>();
    // Those that the dead process held carry its attempt too: they were taken over, not forgotten. Not all of them need have been answered.
    const takenOver = () => [...sent.values()].filter((attempt) => attempt === 2).length;
    while ([...accepted].some((recipient) => !sent.has(recipient)) || takenOver() < 4) {
      const [, recipient = '', attempt] = /^sent (\S+) (\d+)/.exec(await next.line(/^sent /)) ?? [];
      sent.set(recipient, Number(attempt));
    }
    expect((await fetch(`${nextUrl}/healthz`)).status).toBe(200);
    await next.kill('SIGTERM');
    expect(Object.keys(await statuses())).toEqual(['success']);
    // Two hosts start, and the second waits for the claims of the first to expire: on a busy machine that takes its time.
  }, 180_000);

  async function statuses(): Promise<Record<string, number>> {
    const store = await openStore({ url: `file:${join(line.folder, 'crash.db')}` });
    const rows: { status: string }[] = await store.knex('notification_delivery').select('status');
    await store.close();
    const counts: Record<string, number> = {};
    for (const { status } of rows) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  }
});
