import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type Child, startChild, startNode, type TestDatabase, testDatabase } from '@bellhop/testing';
import { Webhook } from 'standardwebhooks';

/** The root key of the story's host. */
const HOST_KEY = 'root-key-of-the-story';

/** A wake, as the consumer's door got it. */
export interface Nudge {
  readonly reason: string;
  readonly todoId: string;
  readonly at: number;
}

/** A run of the consumer. */
export interface RunOfOne {
  readonly claimed: string | null;
  readonly claimedAt: number;
  endedAt: number | null;
}

/**
 * The reported story, in processes: a host, a receiver that starts a consumer when it is woken (a wake during a run is ignored), and consumers that
 * claim one todo and exit. Time passes only in `advance`.
 */
export class Story {
  readonly wakes: Nudge[] = [];
  readonly runs: RunOfOne[] = [];
  now = 0;
  #arrived: (() => void)[] = [];
  #consumer: Child | undefined;
  #begun: Promise<void> | undefined;

  private constructor(
    private readonly host: Child,
    private readonly url: string,
    private readonly database: TestDatabase,
    private readonly receiver: Server,
  ) {}

  static async begin(stall: 'with' | 'without'): Promise<Story> {
    const database = await testDatabase('sqlite');
    const host = startChild(new URL('./host-process.fixture.ts', import.meta.url), {
      args: [database.options.url as string, HOST_KEY, stall],
    });
    const { url, now } = await host.message<{ url: string; now: number }>();
    const receiver = createServer();
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const story = new Story(host, url, database, receiver);
    story.now = now;
    return story;
  }

  /** The endpoint of the consumer, its door, and the webhook by which todos come. @returns how to send to that. */
  async open({ leaseMs }: { readonly leaseMs: number }): Promise<(title: string) => Promise<void>> {
    const { credential } = await this.#ask('/v1/endpoints', { slug: 'one-at-a-time', queues: ['issues'] });
    const door = `http://127.0.0.1:${(this.receiver.address() as AddressInfo).port}/wake`;
    const { signingSecret } = await this.#ask('/v1/endpoints/one-at-a-time/notify-hooks', { url: door });
    const verifier = new Webhook(signingSecret as string);
    this.receiver.on('request', (request: IncomingMessage, answer) => {
      void text(request).then((body) => {
        if (!isSigned(verifier, request, body)) throw new Error('a wake came whose signature is not that of the hook');
        this.#woken(JSON.parse(body) as { reason: string; todo_id: string }, credential as string, leaseMs);
        answer.writeHead(202).end();
      });
    });
    const made = await this.#ask('/v1/endpoints/one-at-a-time/webhooks', { source: 'standard' });
    const signer = new Webhook(made.secret as string);
    return async (title) => {
      const id = `msg_${title.replaceAll(' ', '_')}`;
      const body = JSON.stringify({ type: 'issue.opened', title });
      const at = new Date(this.now);
      const answer = await fetch(`${this.url}/webhooks/w/${made.token as string}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'webhook-id': id,
          'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
          'webhook-signature': signer.sign(id, at, body),
        },
        body,
      });
      if (answer.status !== 202) throw new Error(`the webhook was answered ${answer.status}: ${await answer.text()}`);
    };
  }

  /** Resolves when that many wakes have come. */
  async untilWakes(count: number): Promise<void> {
    while (this.wakes.length < count) await new Promise<void>((resolve) => this.#arrived.push(resolve));
  }

  get running(): boolean {
    return this.#consumer !== undefined;
  }

  /** Lets the consumer that runs finish its todo and exit. */
  async finishRun(): Promise<void> {
    await this.#begun;
    const consumer = this.#consumer;
    if (!consumer) return;
    consumer.send('finish');
    const { code } = await consumer.exited;
    if (code !== 0) throw new Error(`the consumer ended with ${code}: ${consumer.stderr}`);
    const run = this.runs.at(-1);
    if (run) run.endedAt = this.now;
    this.#consumer = undefined;
  }

  /** Lets time pass, and waits until whoever was started by it has claimed. */
  async advance(ms: number): Promise<void> {
    this.host.send({ advanceMs: ms });
    this.now = (await this.host.message<{ now: number }>()).now;
    await this.#begun;
  }

  async todos(state: string): Promise<string[]> {
    const answer = await fetch(`${this.url}/v1/endpoints/one-at-a-time/todos?state=${state}`, { headers: this.#headers });
    const { items } = (await answer.json()) as { items: { id: string }[] };
    return items.map(({ id }) => id);
  }

  async end(): Promise<void> {
    await this.#consumer?.kill();
    await this.host.kill();
    await new Promise((resolve) => this.receiver.close(resolve));
    await this.database.drop();
  }

  get #headers() {
    return { authorization: `Bearer ${HOST_KEY}`, 'bellhop-organization': 'acme', 'content-type': 'application/json' };
  }

  async #ask(path: string, body: unknown): Promise<Record<string, unknown>> {
    const answer = await fetch(`${this.url}${path}`, { method: 'POST', headers: this.#headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Record<string, unknown>;
  }

  #woken({ reason, todo_id }: { readonly reason: string; readonly todo_id: string }, credential: string, leaseMs: number): void {
    this.wakes.push({ reason, todoId: todo_id, at: this.now });
    for (const resolve of this.#arrived.splice(0)) resolve();
    if (this.#consumer) return;
    const file = fileURLToPath(new URL('./one-todo-consumer.fixture.mjs', import.meta.url));
    const consumer = startNode([file], { args: [this.url, credential, String(leaseMs)] });
    this.#consumer = consumer;
    this.#begun = consumer.message<{ claimed: string | null }>().then(({ claimed }) => {
      this.runs.push({ claimed, claimedAt: this.now, endedAt: null });
    });
  }
}

/** By the same library's own signature: it would hold the time against our clock, and the host's is another. */
function isSigned(verifier: Webhook, request: IncomingMessage, body: string): boolean {
  const at = new Date(Number(request.headers['webhook-timestamp']) * 1_000);
  return String(request.headers['webhook-signature'])
    .split(' ')
    .includes(verifier.sign(String(request.headers['webhook-id']), at, body));
}

async function text(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
