import assert from 'node:assert/strict';
import type { EnqueueDeliveryInput } from '@bellhop/contracts';
import { refusal } from '../refusal.js';
import { type NotificationOutboxConformanceOptions, type OutboxBench, outboxSection, START } from './outbox-bench.js';

// The contract's numbers, written out: an outbox is held to these, whatever constants it uses.
const NAME_MAX_CHARACTERS = 255;
const PAYLOAD_MAX_BYTES = 256 * 1024;
const ERROR_TEXT_MAX_BYTES = 8 * 1024;

const NAMES = ['id', 'notificationId', 'recipientId', 'channel', 'topic', 'organizationId', 'digestKey'] as const;
const LONE_SURROGATES = ['\ud83d', 'a\ude00', '\ude00\ud83d'];

export function inputLimitsSection(options: NotificationOutboxConformanceOptions): void {
  outboxSection(options, 'input limits', ({ test }) => {
    for (const field of NAMES) {
      test(`${field}: takes 1 to ${NAME_MAX_CHARACTERS} characters and refuses the rest, writing nothing`, async (bench) => {
        for (const bad of ['', 'x'.repeat(NAME_MAX_CHARACTERS + 1), 'a\0b', ...LONE_SURROGATES, 7, null]) {
          const { code, message } = await refused(bench, { [field]: bad } as Partial<EnqueueDeliveryInput>);
          assert.equal(code, 'INVALID_INPUT');
          assert.match(message, new RegExp(field));
        }
        const longest = `😀${'x'.repeat(NAME_MAX_CHARACTERS - 1)}`;
        const id = await bench.enqueue({ [field]: longest });
        assert.equal((await bench.row(id))[field], longest);
      });
    }

    test('payload: takes 256 KiB of UTF-8 and refuses more, writing nothing', async (bench) => {
      const frame = '{"body":""}'.length;
      for (const body of ['x'.repeat(PAYLOAD_MAX_BYTES - frame + 1), 'é'.repeat(PAYLOAD_MAX_BYTES / 2)]) {
        assert.equal((await refused(bench, { payload: { body } })).code, 'PAYLOAD_TOO_LARGE');
      }
      const body = 'x'.repeat(PAYLOAD_MAX_BYTES - frame);
      const id = await bench.enqueue({ payload: { body } });
      assert.equal((await bench.row(id)).payload.body, body);
    });

    test('payload: refuses U+0000 and lone surrogates at any depth, and what is no JSON object, writing nothing', async (bench) => {
      const cycle: Record<string, unknown> = {};
      cycle.self = cycle;
      const bad = [
        { title: 'a\0b' },
        { deep: [{ list: ['\0'] }] },
        { 'key\0': 1 },
        ...LONE_SURROGATES.map((body) => ({ body })),
        { [LONE_SURROGATES[0] as string]: 1 },
        cycle,
        { n: 1n },
        null,
        'text',
        ['list'],
        undefined,
      ];
      for (const payload of bad) {
        assert.equal((await refused(bench, { payload: payload as EnqueueDeliveryInput['payload'] })).code, 'INVALID_INPUT');
      }
      const payload = { title: 'looks like \\u0000 and \\ud83d', body: '😀' };
      assert.deepEqual((await bench.row(await bench.enqueue({ payload }))).payload, payload);
    });

    test('notBefore: takes whole epoch milliseconds only, writing nothing else', async (bench) => {
      for (const notBefore of [Number.NaN, Number.POSITIVE_INFINITY, -1, 1.5, '2026' as unknown as number])
        await refused(bench, { notBefore });
      assert.equal((await bench.row(await bench.enqueue({ notBefore: 0 }))).dueAt, 0);
    });

    test('error texts are stripped of U+0000 and lone surrogates, and cut to 8 KiB', async (bench) => {
      const id = await bench.enqueue();
      const acked = async (error: string): Promise<string> => {
        await bench.ack(await bench.claimOne(), { success: false, error, nextAttemptAt: bench.clock.now() });
        return (await bench.row(id)).error as string;
      };
      assert.equal(await acked('plain 😀'), 'plain 😀');
      assert.equal(await acked('a\0b\ud83dc\ude00'), 'abc');
      assert.equal((await acked('x'.repeat(ERROR_TEXT_MAX_BYTES))).length, ERROR_TEXT_MAX_BYTES);
      assert.equal((await acked('x'.repeat(1_000_000))).length, ERROR_TEXT_MAX_BYTES);
      const cut = await acked(`x${'😀'.repeat(ERROR_TEXT_MAX_BYTES)}`);
      assert.equal(Buffer.byteLength(cut), ERROR_TEXT_MAX_BYTES - 3);
      assert.doesNotMatch(cut, /\p{Surrogate}/u);
    });

    test('times in the claim and the reap are checked', async (bench) => {
      await bench.enqueue();
      await refusal(() => bench.claim({ now: Number.NaN }));
      if (bench.outbox.reap) await refusal(() => bench.capability('reap')({ claimTtlMs: 0 }));
      if (bench.outbox.survey) await refusal(() => bench.capability('survey')({ now: -1 }));
      assert.equal((await bench.claim()).length, 1);
    });
  });
}

/** The refusal, by `enqueue` and by `enqueueMany`; that nothing was written is checked. */
async function refused(bench: OutboxBench, overrides: Partial<EnqueueDeliveryInput>): Promise<{ code: string; message: string }> {
  assert.equal(bench.clock.now(), START);
  const before = await bench.rows();
  const error = await refusal(() => bench.enqueue(overrides));
  if (bench.outbox.enqueueMany) {
    const many = await refusal(() => bench.capability('enqueueMany')([bench.input(), bench.input(overrides)]));
    assert.equal(many.code, error.code);
  }
  assert.deepEqual(await bench.rows(), before);
  return error;
}
