/** The API on a real server, in front of a board and a doorbell that a test scripts: for what no board of the real kind does when it is asked to. */
import type { BoardConsumer, BoardEndpoint, IBoard, IQueueService, IStall, Messaging } from '@bellhop/contracts';
import { BellhopError, type Logger } from '@bellhop/kernel';
import type { JobPull } from '@bellhop/service-queue';
import { ManualClock } from '@bellhop/testing';
import { KeyCheck } from '../keys/key-check.js';
import { HostMetrics } from '../metrics/host-metrics.js';
import { createApi } from './api.js';
import { type Attachable, type DoorbellSession, DoorbellStreams } from './doorbell-streams.js';
import { HttpServer } from './server.js';

export const KEY = 'root-key-of-the-test';
export const CREDENTIAL = 'sbk_of-the-test';

export const ENDPOINT: BoardEndpoint = {
  id: 'ep_1',
  organizationId: 'acme',
  slug: 'reviewer',
  credentialPrefix: 'sbk_of-t…',
  queues: ['reviews', 'a:b'],
  verbs: ['claim', 'doorbell'],
  state: 'active',
  expiresAt: null,
  defaultLeaseMs: null,
  createdAt: 0,
  revokedAt: null,
};

/** A doorbell that tells who is attached, and is rung by hand. */
export class ScriptedDoorbell implements Attachable {
  readonly sessions = new Set<DoorbellSession>();
  readonly #changes: (() => void)[] = [];

  attach(session: DoorbellSession): () => void {
    this.sessions.add(session);
    this.#tell();
    return () => {
      if (this.sessions.delete(session)) this.#tell();
    };
  }

  get only(): DoorbellSession {
    const [session, ...others] = this.sessions;
    if (!session || others.length > 0) throw new Error(`${this.sessions.size} sessions are attached`);
    return session;
  }

  /** Until so many are attached. */
  async attached(count: number): Promise<void> {
    while (this.sessions.size !== count) await new Promise<void>((resolve) => this.#changes.push(resolve));
  }

  #tell(): void {
    for (const change of this.#changes.splice(0)) change();
  }
}

export interface BoardApi {
  readonly url: string;
  readonly clock: ManualClock;
  readonly doorbell: ScriptedDoorbell;
  readonly streams: DoorbellStreams;
  /** What was logged, a line each. */
  readonly lines: string[];
  readonly metrics: HostMetrics;
  /** Who the credential is; an error: it is refused with that. Default the endpoint above. */
  consumer: BoardConsumer | Error;
  stop(): Promise<void>;
}

export async function runBoardApi(
  board: Partial<IBoard> = {},
  { trustedProxies }: { readonly trustedProxies?: readonly string[] } = {},
): Promise<BoardApi> {
  const clock = new ManualClock();
  const lines: string[] = [];
  const log = (fields: object, message: string): void => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const logger: Logger = { debug: log, info: log, warn: log, error: log, child: () => logger } as Logger;
  const server = new HttpServer({ host: '127.0.0.1', port: 0, clock });
  await server.listen();
  const doorbell = new ScriptedDoorbell();
  const streams = new DoorbellStreams({ doorbell, clock, logger });
  const metrics = new HostMetrics();
  const running = { consumer: { endpoint: ENDPOINT } as BoardConsumer | Error };
  const authenticate = async (credential: string): Promise<BoardConsumer> => {
    if (credential !== CREDENTIAL) throw new BellhopError('UNAUTHENTICATED', 'unknown');
    if (running.consumer instanceof Error) throw running.consumer;
    return running.consumer;
  };
  server.serve(
    createApi({
      messaging: {} as Messaging,
      queues: {} as IQueueService,
      pull: {} as JobPull,
      board: { authenticate, ...board } as IBoard,
      stalls: {} as IStall,
      doorbell: streams,
      keys: new KeyCheck({ keys: { find: async () => null }, rootKey: KEY, clock }),
      metrics,
      health: () => Promise.reject(new Error('not asked for')),
      logger,
      clock,
      trustedProxies,
    }),
  );
  return Object.assign(running, {
    url: server.url,
    clock,
    doorbell,
    streams,
    lines,
    metrics,
    async stop() {
      streams.close();
      await server.close(0);
    },
  });
}
