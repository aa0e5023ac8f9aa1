import assert from 'node:assert/strict';
import type {
  AckOutcome,
  AckResult,
  ClaimedDelivery,
  ClaimOptions,
  Delivery,
  DeliveryFilter,
  EnqueueDeliveryInput,
  INotificationOutbox,
  Transaction,
} from '@bellhop/contracts';
import type { Clock, Random } from '@bellhop/kernel';
import { ManualClock } from '../../manual-clock.js';
import { type ConformanceApi, skip } from '../conformance-api.js';
import { seededRandom } from '../seeded-random.js';

/** The members of the contract that an outbox may lack. */
export const OUTBOX_CAPABILITIES = ['reap', 'survey', 'enqueueMany', 'ackMany', 'renew', 'release', 'cancel'] as const;
export type OutboxCapability = (typeof OUTBOX_CAPABILITIES)[number];

/** The parts of the suite. */
export const OUTBOX_SECTIONS = [
  'capabilities',
  'enqueue',
  'transactions',
  'claim',
  'partitions',
  'claim-tokens',
  'renew-and-release',
  'expiry',
  'survey',
  'digests',
  'cancel',
  'list',
  'state-table',
  'input-limits',
  'histories',
] as const;
export type OutboxSection = (typeof OUTBOX_SECTIONS)[number];

/** An empty outbox, as a test gets it. */
export interface OutboxUnderTest {
  readonly outbox: INotificationOutbox;
  /** Frees everything, rows included. */
  close(): void | Promise<void>;
  /** Another outbox over the same rows, as a second process would have. Default: the same instance serves as both nodes. */
  secondNode?(): INotificationOutbox | Promise<INotificationOutbox>;
  /** Runs `fn` in a transaction that enqueue can join. Without it the transaction tests are skipped. */
  transaction?<T>(fn: (trx: Transaction) => Promise<T>): Promise<T>;
}

export interface NotificationOutboxConformanceOptions {
  /** Names the outbox in the titles. */
  readonly name: string;
  readonly api: ConformanceApi;
  /** Makes an empty outbox that reads time from `clock` and randomness from `random`. */
  create(ports: { clock: Clock; random: Random }): OutboxUnderTest | Promise<OutboxUnderTest>;
  /** Capabilities the outbox must have: a missing one fails instead of skipping its tests. Default: none, so every one is probed. */
  readonly capabilities?: readonly OutboxCapability[] | 'all';
  /** Parts to define here: over a slow database they run side by side when they are divided among test files. Default: all. */
  readonly sections?: readonly OutboxSection[];
  /** Random histories the property test runs, each on a fresh outbox. Default 40. */
  readonly propertyRuns?: number;
}

/** Where every test's clock begins. */
export const START = Date.UTC(2026, 0, 15, 12);
export const CLAIM_TTL_MS = 5_000;

/** An outbox under test, with the shorthand the tests are written in. */
export class OutboxBench {
  readonly clock: ManualClock;
  readonly random: Random;
  #under: OutboxUnderTest | undefined;
  #second: INotificationOutbox | undefined;
  #made = 0;

  private constructor() {
    this.clock = new ManualClock({ now: START });
    this.random = seededRandom();
  }

  static async open(create: NotificationOutboxConformanceOptions['create']): Promise<OutboxBench> {
    const bench = new OutboxBench();
    bench.#under = await create({ clock: bench.clock, random: bench.random });
    bench.#second = (await bench.#under.secondNode?.()) ?? bench.#under.outbox;
    return bench;
  }

  async close(): Promise<void> {
    await this.#under?.close();
  }

  get outbox(): INotificationOutbox {
    return (this.#under as OutboxUnderTest).outbox;
  }

  /** The outbox as the second node sees it. */
  get second(): INotificationOutbox {
    return this.#second as INotificationOutbox;
  }

  get transaction(): OutboxUnderTest['transaction'] {
    const under = this.#under as OutboxUnderTest;
    return under.transaction?.bind(under);
  }

  /** A capability of the outbox; only in tests that named it as needed. */
  capability<Name extends OutboxCapability>(name: Name, of: INotificationOutbox = this.outbox): NonNullable<INotificationOutbox[Name]> {
    const member = of[name];
    assert.ok(member, `the outbox has no ${name}`);
    return member.bind(of) as NonNullable<INotificationOutbox[Name]>;
  }

  /** An input unlike every other of this bench. */
  input(overrides: Partial<EnqueueDeliveryInput> = {}): EnqueueDeliveryInput {
    this.#made += 1;
    return {
      notificationId: `event-${this.#made}`,
      recipientId: 'user-1',
      channel: 'inbox',
      topic: 'order.placed',
      payload: { title: 'Thank you' },
      ...overrides,
    };
  }

  enqueue(overrides: Partial<EnqueueDeliveryInput> = {}): Promise<string> {
    return this.outbox.enqueue(this.input(overrides));
  }

  claimOptions(overrides: Partial<ClaimOptions> = {}): ClaimOptions {
    return { nodeId: 'node-a', limit: 100, claimTtlMs: CLAIM_TTL_MS, ...overrides };
  }

  claim(overrides: Partial<ClaimOptions> = {}, from: INotificationOutbox = this.outbox): Promise<ClaimedDelivery[]> {
    return from.claim(this.claimOptions(overrides));
  }

  claimDigest(overrides: Partial<ClaimOptions> = {}, from: INotificationOutbox = this.outbox): Promise<ClaimedDelivery[]> {
    return from.claimDigest(this.claimOptions(overrides));
  }

  /** Claims the one row that is due. */
  async claimOne(overrides: Partial<ClaimOptions> = {}, from: INotificationOutbox = this.outbox): Promise<ClaimedDelivery> {
    const claimed = await this.claim(overrides, from);
    assert.equal(claimed.length, 1, 'exactly one row is claimed');
    return claimed[0] as ClaimedDelivery;
  }

  /** The outcome, with an older outbox's void read as acked. */
  async ack(claim: ClaimedDelivery, result: AckResult, on: INotificationOutbox = this.outbox): Promise<AckOutcome> {
    return (await on.ack(claim, result)) ?? 'acked';
  }

  /** Every row of a filter, in order of creation. */
  async rows(filter: Omit<DeliveryFilter, 'cursor' | 'limit'> = {}): Promise<Delivery[]> {
    const rows: Delivery[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<INotificationOutbox['list']>> = await this.outbox.list({
        ...filter,
        limit: 200,
        ...(cursor ? { cursor } : {}),
      });
      rows.push(...page.items);
      assert.notEqual(page.nextCursor ?? '', cursor, 'a page ends further on than the one before');
      cursor = page.nextCursor;
    } while (cursor !== null);
    return rows.reverse();
  }

  async row(id: string): Promise<Delivery> {
    const found = (await this.rows()).find((row) => row.id === id);
    assert.ok(found, `the row ${id} is listed`);
    return found;
  }
}

/** Defines tests that each get a bench of their own. */
export interface OutboxTests {
  /** @param needs capabilities without which the test is skipped. */
  test(title: string, body: (bench: OutboxBench) => Promise<void>, needs?: readonly OutboxCapability[]): void;
}

/** A describe block whose tests each run on a fresh bench. */
export function outboxSection(options: NotificationOutboxConformanceOptions, title: string, define: (tests: OutboxTests) => void): void {
  const { api, create } = options;
  api.describe(title, () => {
    let bench: OutboxBench | undefined;
    api.beforeEach(async () => {
      bench = await OutboxBench.open(create);
    });
    api.afterEach(async () => {
      await bench?.close();
      bench = undefined;
    });
    define({
      test(title, body, needs = []) {
        api.it(title, async (context) => {
          const open = bench as OutboxBench;
          const missing = needs.filter((name) => !open.outbox[name]);
          if (missing.length > 0) return skip(context, `the outbox has no ${missing.join(', ')}`);
          await body(open);
        });
      },
    });
  });
}

/** Rows by what tells them apart in a test. */
export function notificationIds(rows: readonly Delivery[]): string[] {
  return rows.map((row) => row.notificationId);
}
