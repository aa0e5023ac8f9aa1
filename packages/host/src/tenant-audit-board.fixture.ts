/** As `tenant-audit-drives.fixture.ts`, for the board: every write statement of it once, through what applications, consumers, sources and the reaper call. */
import type { Store } from '@bellhop/contracts';
import type { OutboundResult } from '@bellhop/outbound';
import { assembleBoard, boardMigrations } from '@bellhop/switchboard';
import type { ManualClock } from '@bellhop/testing';

const scope = { organizationId: 'acme' };
const DAY_MS = 86_400_000;
const encryptionKey = Buffer.alloc(32, 7).toString('base64');

export async function driveBoard(store: Store, clock: ManualClock): Promise<void> {
  await store.migrate(boardMigrations);
  const statuses = [200, 400];
  const send = async (): Promise<OutboundResult> => ({
    kind: 'answered',
    status: statuses.shift() ?? 200,
    headers: {},
    text: '',
    cut: false,
    durationMs: 1,
  });
  const assembled = assembleBoard({
    store,
    clock,
    encryptionKey,
    outbound: { allowCidrs: ['127.0.0.1/32'] },
    client: { send, close: async () => {} },
  });
  assembled.start();
  try {
    await driveConsumer(assembled, store);
    await driveHooks(assembled);
    await driveInbound(assembled);
    await driveDuties(assembled, clock);
  } finally {
    await assembled.stop();
  }
}

type Assembled = ReturnType<typeof assembleBoard>;

async function driveConsumer({ board }: Assembled, store: Store): Promise<void> {
  const { credential } = await board.vend({ slug: 'consumer', queues: ['work'] }, scope);
  const consumer = await board.authenticate(credential);
  const { id } = await consumer.push({ queue: 'work', title: 't', maxAttempts: 2 });
  await consumer.claim(id);
  await consumer.heartbeat(id);
  await consumer.release(id);
  await consumer.claimNext();
  await consumer.fail(id);
  await consumer.retry(id);
  await consumer.claim(id);
  await consumer.fail(id);
  await board.retry(id, scope);
  // As after fifty claims, each of which would be a write to drive.
  await store.knex('board_todo').where({ id }).update({ attempts_total: 50 });
  await consumer.claim(id);
  await consumer.complete(id);
  await board.revoke('consumer', scope);
}

/** The first wake is accepted, the second refused. */
async function driveHooks({ board, dispatcher }: Assembled): Promise<void> {
  await board.vend({ slug: 'hooked', queues: ['work'] }, scope);
  const hooks = await board.hooks('hooked', scope);
  const { hook } = await hooks.create({ url: 'https://127.0.0.1/wake' });
  for (const title of ['accepted', 'refused']) {
    await board.push('hooked', { queue: 'work', title }, scope);
    await dispatcher.settled();
  }
  await hooks.rotate(hook.id);
  await hooks.disable(hook.id);
  await hooks.enable(hook.id);
  await hooks.delete(hook.id);
}

async function driveInbound({ board }: Assembled): Promise<void> {
  await board.vend({ slug: 'inbound', queues: ['work'] }, scope);
  const webhooks = await board.webhooks('inbound', scope);
  const { webhook, token } = await webhooks.create({ source: 'generic', trustedSenders: ['nobody'] });
  const held: string[] = [];
  for (const text of ['{"n":1}', '{"n":2}']) {
    const result = await board.ingest({ token, headers: {}, body: Buffer.from(text), address: '127.0.0.1' });
    if ('todoIds' in result) held.push(...result.todoIds);
  }
  const [released = '', discarded = ''] = held;
  await board.releaseQuarantined(released, scope);
  await board.discardQuarantined(discarded, scope);
  await webhooks.delete(webhook.id);
}

async function driveDuties({ board, doorbell, duties }: Assembled, clock: ManualClock): Promise<void> {
  const { sweeps, endpoints, hooks } = duties;
  const [session] = await endpoints.list(scope.organizationId).then((all) => all.filter(({ slug }) => slug === 'inbound'));
  const detach = doorbell.attach({
    endpointId: session?.id ?? '',
    queues: ['work'],
    onRing: () => true,
    room: () => 100,
    onClose: () => {},
  });
  await doorbell.settled();
  await board.vend({ slug: 'expires', queues: ['work'], expiresAt: clock.now() + 1 }, scope);
  clock.jumpWall(DAY_MS);
  await doorbell.sweep();
  detach();
  await sweeps.reap(10);
  await sweeps.requeueDue(10);
  await endpoints.expire(10);
  await hooks.destroyOldSecrets();
  await sweeps.sweepTodos(0, 10);
  await sweeps.sweepEvents(0, 10);
  await sweeps.expireQuarantined(0, 10);
}
