import { ManualClock } from '@bellhop/testing';
import { type Context, Hono } from 'hono';
import { beforeEach, describe, expect, it } from 'vitest';
import { HttpError } from './errors.js';
import { INBOUND_DEADLINE_MS, INBOUND_HELD_MAX_BYTES, INBOUND_HELD_OF_ADDRESS_MAX_BYTES, InboundBodies } from './inbound-bodies.js';

const MiB = 1024 * 1024;

/** A request whose body a test sends piece by piece. A piece is sent once it was asked for, so that all before it is known to be taken. */
class Sender {
  readonly context: Promise<Context>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #asked: (() => void)[] = [];
  #pulls = 0;

  constructor() {
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => {
          this.#pulls += 1;
          for (const tell of this.#asked.splice(0)) tell();
        },
      },
      new CountQueuingStrategy({ highWaterMark: 0 }),
    );
    this.context = new Promise((resolve) => {
      const app = new Hono().post('/', (context) => {
        resolve(context);
        return context.body(null);
      });
      void app.request('/', { method: 'POST', body, duplex: 'half' } as RequestInit);
    });
  }

  /** @returns once the reader has taken it, and waits for more. */
  async send(bytes: number): Promise<void> {
    await this.#asking();
    this.#pulls = 0;
    this.#controller?.enqueue(new Uint8Array(bytes));
    await this.#asking();
  }

  async end(): Promise<void> {
    await this.#asking();
    this.#controller?.close();
  }

  async #asking(): Promise<void> {
    if (this.#pulls === 0) await new Promise<void>((resolve) => this.#asked.push(resolve));
  }
}

let clock: ManualClock;
let bodies: InboundBodies;
beforeEach(() => {
  clock = new ManualClock();
  bodies = new InboundBodies({ clock });
});

/** Begins to read; what comes of it is the number of bytes, or the status of the refusal. */
async function reading(countedAs: string, maxBytes = 5 * MiB): Promise<{ sender: Sender; outcome: Promise<number> }> {
  const sender = new Sender();
  const outcome = bodies
    .use(await sender.context, { maxBytes, countedAs }, async (body) => body.byteLength)
    .catch((error: unknown) => {
      if (error instanceof HttpError) return error.failure.status;
      throw error;
    });
  return { sender, outcome };
}

/** So many whole bodies of 5 MiB, all but their end. */
async function fill(count: number, address: (n: number) => string) {
  const all = [];
  for (let n = 0; n < count; n++) {
    const one = await reading(address(n));
    await one.sender.send(5 * MiB);
    all.push(one);
  }
  return all;
}

describe('the bodies of strangers', () => {
  it('take memory as they arrive, and give it back when the work on them is done', async () => {
    const { sender, outcome } = await reading('a');
    expect(bodies.heldBytes).toBe(0);
    await sender.send(1);
    expect(bodies.heldBytes).toBe(4 * 1024);
    await sender.send(10_000);
    expect(bodies.heldBytes).toBe(10_001);
    await sender.end();
    expect(await outcome).toBe(10_001);
    expect(bodies.heldBytes).toBe(0);
    const failing = new Sender();
    const use = bodies.use(await failing.context, { maxBytes: 10, countedAs: 'a' }, async (body) => {
      expect([body.byteLength, bodies.heldBytes]).toEqual([3, 10]);
      throw new Error('no use');
    });
    await failing.send(3);
    await failing.end();
    await expect(use).rejects.toThrow('no use');
    expect(bodies.heldBytes).toBe(0);
  });

  it('hold 20 MiB of one address, and another has its own (the control)', async () => {
    const held = await fill(4, () => 'a');
    expect(bodies.heldBytes).toBe(INBOUND_HELD_OF_ADDRESS_MAX_BYTES);
    const over = await reading('a');
    await over.sender.send(1);
    expect(await over.outcome).toBe(503);
    const beside = await reading('b');
    await beside.sender.send(1);
    await beside.sender.end();
    expect(await beside.outcome).toBe(1);
    await held[0]?.sender.end();
    expect(await held[0]?.outcome).toBe(5 * MiB);
    const again = await reading('a');
    await again.sender.send(1);
    await again.sender.end();
    expect(await again.outcome).toBe(1);
  });

  it('hold 64 MiB in all', async () => {
    await fill(12, (n) => `${n}`);
    const last = await reading('last', 4 * MiB);
    await last.sender.send(4 * MiB);
    expect(bodies.heldBytes).toBe(INBOUND_HELD_MAX_BYTES);
    const over = await reading('over');
    await over.sender.send(1);
    expect(await over.outcome).toBe(503);
    await last.sender.end();
    expect(await last.outcome).toBe(4 * MiB);
    const next = await reading('over');
    await next.sender.send(1);
    await next.sender.end();
    expect(await next.outcome).toBe(1);
  });

  it('have 30 s to arrive, and are given up then', async () => {
    const { sender, outcome } = await reading('a');
    await sender.send(1);
    await clock.advance(INBOUND_DEADLINE_MS - 1);
    await sender.send(1);
    expect(bodies.heldBytes).toBe(4 * 1024);
    await clock.advance(1);
    expect(await outcome).toBe(408);
    expect(bodies.heldBytes).toBe(0);
    // What comes late is taken off the line, and not kept.
    await sender.send(5 * MiB);
    expect(bodies.heldBytes).toBe(0);
    const intime = await reading('a');
    await intime.sender.send(1);
    await clock.advance(INBOUND_DEADLINE_MS - 1);
    await intime.sender.end();
    expect(await intime.outcome).toBe(1);
    expect(clock.nextTimerAt()).toBeNull();
  });
});
