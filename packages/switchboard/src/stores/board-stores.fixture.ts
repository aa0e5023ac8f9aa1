import { randomUUID } from 'node:crypto';
import { type BoardVerb, DEFAULT_BOARD_VERBS, type Store, type TodoState } from '@bellhop/contracts';
import {
  emptyTables,
  ManualClock,
  type StatementCost,
  statementCost,
  type TestDatabase,
  type TestStoreName,
  testDatabase,
} from '@bellhop/testing';
import { credentialPrefix, hashCredential, makeCredential } from '../credential.js';
import { boardMigrations } from '../migrations/board-migrations.js';

/** The board's tables, those first that refer to others. */
const BOARD_TABLES = ['board_attempt', 'board_todo', 'board_event', 'board_webhook', 'board_notify_hook', 'board_endpoint'];

/** A database with the board's tables, and two nodes on it; in memory the second is the first. */
export interface BoardDatabase {
  readonly clock: ManualClock;
  readonly database: TestDatabase;
  readonly store: Store;
  readonly second: Store;
  /** Deletes every row of the board, and before them those of tables that refer to its. */
  empty(before?: readonly string[]): Promise<void>;
  /** What reached the driver of the first node meanwhile. */
  cost(work: () => unknown): Promise<StatementCost>;
  /** Whole rows, in the order of a column; times are numbers on every store. */
  rows(table: string, where?: Readonly<Record<string, unknown>>, orderBy?: string): Promise<Record<string, unknown>[]>;
  /** How many rows. */
  count(table: string, where?: Readonly<Record<string, unknown>>): Promise<number>;
}

export async function boardDatabase(name: TestStoreName): Promise<BoardDatabase> {
  const clock = new ManualClock();
  const database = await testDatabase(name);
  const store = await database.open({ clock });
  await store.migrate(boardMigrations);
  return {
    clock,
    database,
    store,
    second: name === 'memory' ? store : await database.open({ clock }),
    empty: (before = []) => emptyTables(store, [...before, ...BOARD_TABLES]),
    cost: (work) => statementCost(store, work),
    async rows(table, where = {}, orderBy = 'created_at') {
      const found: Record<string, unknown>[] = await store.knex(table).where(where).orderBy(orderBy);
      return found.map((row) => Object.fromEntries(Object.entries(row).map(([column, value]) => [column, toNumber(column, value)])));
    },
    count: async (table, where = {}) => Number((await store.knex(table).where(where).count({ n: '*' }).first())?.n),
  };
}

/** knex gives a bigint of Postgres as text. */
function toNumber(column: string, value: unknown): unknown {
  return typeof value === 'string' && /_(at|since|until|ms)$/.test(column) ? Number(value) : value;
}

export interface SeededEndpoint {
  readonly id: string;
  readonly organizationId: string;
  readonly slug: string;
  readonly queues: readonly string[];
  readonly credential: string;
}

export interface EndpointSeed {
  readonly id?: string;
  readonly organizationId?: string;
  readonly slug?: string;
  readonly queues?: readonly string[];
  readonly verbs?: readonly BoardVerb[];
  readonly state?: 'active' | 'revoked';
  readonly expiresAt?: number | null;
  readonly defaultLeaseMs?: number | null;
  readonly createdAt?: number;
}

/** An endpoint, straight into its table. Default: active, of the organization `default`, with the queue `work` and the default verbs. */
export async function seedEndpoint(store: Store, seed: EndpointSeed = {}): Promise<SeededEndpoint> {
  const id = seed.id ?? `ep_${randomUUID()}`;
  const { organizationId = 'default', slug = `e-${randomUUID()}`, queues = ['work'], state = 'active' } = seed;
  const credential = makeCredential('endpoint');
  const createdAt = seed.createdAt ?? store.clock.now();
  await store.knex('board_endpoint').insert({
    id,
    organization_id: organizationId,
    slug,
    credential_hash: hashCredential(credential),
    credential_prefix: credentialPrefix(credential),
    queues: JSON.stringify(queues),
    verbs: JSON.stringify(seed.verbs ?? DEFAULT_BOARD_VERBS),
    state,
    expires_at: seed.expiresAt ?? null,
    default_lease_ms: seed.defaultLeaseMs ?? null,
    created_at: createdAt,
    revoked_at: state === 'revoked' ? createdAt : null,
  });
  return { id, organizationId, slug, queues, credential };
}

export interface TodoSeed {
  readonly id?: string;
  readonly organizationId?: string;
  readonly endpointId: string;
  readonly queue?: string;
  readonly state?: TodoState;
  readonly gate?: boolean;
  readonly eventId?: string | null;
  readonly idempotencyKey?: string | null;
  readonly assignee?: string | null;
  readonly claimant?: string | null;
  readonly fenceHash?: string | null;
  readonly leaseUntil?: number | null;
  readonly attempt?: number;
  readonly maxAttempts?: number;
  readonly attemptsTotal?: number;
  readonly nextRetryAt?: number | null;
  readonly createdAt?: number;
  readonly pendingSince?: number;
  readonly claimedAt?: number | null;
  readonly completedAt?: number | null;
}

/**
 * A todo, straight into its table. Default: pending since now in the queue `work`, gate-passing. A claimed one gets the attempt its columns speak
 * of: the first, for 300 s, unless they say otherwise.
 */
export async function seedTodo(store: Store, seed: TodoSeed): Promise<string> {
  const now = store.clock.now();
  const id = seed.id ?? `td_${randomUUID()}`;
  const { organizationId = 'default', queue = 'work', state = 'pending', gate = true, idempotencyKey = null } = seed;
  const claimed = state === 'claimed';
  const createdAt = seed.createdAt ?? now;
  const alive = state === 'pending' || claimed || (state === 'failed' && typeof seed.nextRetryAt === 'number');
  const attemptsTotal = seed.attemptsTotal ?? (claimed ? 1 : 0);
  const claimant = seed.claimant ?? (claimed ? 'worker' : null);
  const leaseUntil = seed.leaseUntil ?? (claimed ? now + 300_000 : null);
  const claimedAt = seed.claimedAt ?? (claimed ? now : null);
  await store.knex('board_todo').insert({
    id,
    organization_id: organizationId,
    endpoint_id: seed.endpointId,
    queue,
    state,
    gate: gate ? 1 : 0,
    assignee: seed.assignee ?? null,
    moved_by: randomUUID(),
    source: 'operator',
    title: 'Seeded',
    event_id: seed.eventId ?? null,
    idempotency_key: idempotencyKey,
    live_key: alive ? idempotencyKey : null,
    claimant,
    fence_hash: seed.fenceHash ?? null,
    lease_until: leaseUntil,
    attempt: seed.attempt ?? (claimed ? 1 : 0),
    max_attempts: seed.maxAttempts ?? 5,
    attempts_total: attemptsTotal,
    next_retry_at: seed.nextRetryAt ?? null,
    ring_attempts: 0,
    created_at: createdAt,
    pending_since: seed.pendingSince ?? createdAt,
    updated_at: createdAt,
    claimed_at: claimedAt,
    completed_at: seed.completedAt ?? null,
    payload: '{}',
  });
  if (claimed) {
    await store.knex('board_attempt').insert({
      todo_id: id,
      seq: attemptsTotal,
      organization_id: organizationId,
      endpoint_id: seed.endpointId,
      queue,
      claimant,
      claimed_at: claimedAt,
      lease_until: leaseUntil,
    });
  }
  return id;
}
