import { randomBytes } from 'node:crypto';
import type { BoardEndpoint, InboundWebhookInput } from '@bellhop/contracts';
import { makeWebhookSecret, SecretSealer } from '@bellhop/outbound';
import { TEST_STORE_NAMES } from '@bellhop/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashCredential } from '../credential.js';
import { type BoardDatabase, boardDatabase, type EndpointSeed, seedEndpoint } from '../stores/board-stores.fixture.js';
import { EndpointStore } from '../stores/endpoint-store.js';
import { WebhookStore } from '../stores/webhook-store.js';
import { WebhooksOfEndpoint } from './webhooks-of-endpoint.js';

const sealer = SecretSealer.fromKey(randomBytes(32).toString('base64'));

describe.each(TEST_STORE_NAMES)('inbound webhooks on %s', (name) => {
  let board: BoardDatabase;
  let endpoints: EndpointStore;
  let webhooks: WebhookStore;
  let owner: BoardEndpoint;

  beforeAll(async () => {
    board = await boardDatabase(name);
    endpoints = new EndpointStore({ store: board.store });
    webhooks = new WebhookStore({ store: board.store, sealer });
  });
  afterAll(() => board.database.drop());
  afterEach(() => expect(board.store.audit.findings()).toEqual([]));
  beforeEach(async () => {
    await board.empty();
    owner = await endpoint({ queues: ['work', 'a:b'] });
  });

  async function endpoint(seed: EndpointSeed = {}): Promise<BoardEndpoint> {
    const { id, organizationId } = await seedEndpoint(board.store, { organizationId: 'acme', ...seed });
    return (await endpoints.find(id, organizationId)) as BoardEndpoint;
  }

  const of = (at: BoardEndpoint = owner, kept = webhooks) =>
    new WebhooksOfEndpoint({ owner: at, endpoints, webhooks: kept, clock: board.store.clock });
  const refused = async (input: unknown, path: string) => {
    await expect(of().create(input as InboundWebhookInput)).rejects.toMatchObject({ code: 'INVALID_INPUT', path });
    expect(await board.count('board_webhook')).toBe(0);
  };

  it('goes to each queue of its owner, and is found by its token', async () => {
    const made = await of().create({ source: 'github' });
    expect(made).toEqual({
      webhook: {
        id: expect.stringMatching(/^wh_[0-9a-f-]{36}$/),
        endpointId: owner.id,
        source: 'github',
        targets: [
          { endpointId: owner.id, queue: 'work' },
          { endpointId: owner.id, queue: 'a:b' },
        ],
        trustedSenders: null,
        createdAt: board.clock.now(),
      },
      token: expect.stringMatching(/^wht_[\w-]{43}$/),
      secret: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const found = await webhooks.byTokenHash(hashCredential(made.token));
    expect(found).toEqual({
      webhook: made.webhook,
      organizationId: 'acme',
      sealedSecret: expect.any(String),
      owner: { state: 'active', expiresAt: null },
    });
    expect(sealer.open(found?.sealedSecret ?? '', made.webhook.id)).toBe(made.secret);
    expect(await webhooks.byTokenHash(hashCredential('wht_other'))).toBeUndefined();
    const row = JSON.stringify(await board.store.knex('board_webhook').first());
    expect(row).not.toContain(made.token);
    expect(row).not.toContain(made.secret);
  });

  it('has the secret it was given, and does not show it again', async () => {
    const secret = makeWebhookSecret();
    const made = await of().create({ source: 'standard', secret, trustedSenders: ['alice'] });
    expect(made).toMatchObject({ secret: null, webhook: { trustedSenders: ['alice'] } });
    const found = await webhooks.byTokenHash(hashCredential(made.token));
    expect(sealer.open(found?.sealedSecret ?? '', made.webhook.id)).toBe(secret);
    expect((await of().create({ source: 'standard' })).secret).toMatch(/^whsec_/);
  });

  it('needs a key for a secret, and none where there is none', async () => {
    const keyless = new WebhookStore({ store: board.store, sealer: SecretSealer.fromKey(undefined) });
    await expect(of(owner, keyless).create({ source: 'github' })).rejects.toMatchObject({ code: 'ENCRYPTION_KEY' });
    expect(await board.count('board_webhook')).toBe(0);
    const made = await of(owner, keyless).create({ source: 'generic' });
    expect(made.secret).toBeNull();
    expect(await webhooks.byTokenHash(hashCredential(made.token))).toMatchObject({ sealedSecret: null });
  });

  it('may go to other endpoints of the organization', async () => {
    const other = await endpoint({ queues: ['mail'] });
    const targets = [
      { endpointId: other.id, queue: 'mail' },
      { endpointId: owner.id, queue: 'a:b' },
    ];
    expect((await of().create({ source: 'generic', targets })).webhook.targets).toEqual(targets);
  });

  it('refuses targets that take no work of it', async () => {
    const foreign = await endpoint({ organizationId: 'other' });
    const revoked = await endpoint({ state: 'revoked' });
    const expired = await endpoint({ expiresAt: board.clock.now() });
    const create = (endpointId: string, queue: string, path: string) =>
      refused({ source: 'generic', targets: [{ endpointId, queue }] }, `targets[0].${path}`);
    await create('ep_none', 'work', 'endpointId');
    await create(foreign.id, 'work', 'endpointId');
    await create(revoked.id, 'work', 'endpointId');
    await create(expired.id, 'work', 'endpointId');
    await create(owner.id, 'mail', 'queue');
    await create(owner.id, 'quarantine', 'queue');
    expect((await of().create({ source: 'generic', targets: [{ endpointId: owner.id, queue: 'work' }] })).webhook.targets).toHaveLength(1);
  });

  it('refuses an owner that takes no events any more, wherever they are to go', async () => {
    const other = await endpoint({ queues: ['work'] });
    const input = { source: 'generic', targets: [{ endpointId: other.id, queue: 'work' }] } as const;
    // The endpoint as it is now counts, not as it was found.
    const set = (columns: object) => board.store.knex('board_endpoint').where({ id: owner.id }).update(columns);
    await set({ state: 'revoked' });
    await refused(input, 'endpoint');
    await set({ state: 'active', expires_at: board.clock.now() });
    await refused(input, 'endpoint');
    await set({ expires_at: null });
    expect((await of().create(input)).webhook.endpointId).toBe(owner.id);
  });

  it('refuses what is malformed', async () => {
    const target = { endpointId: owner.id, queue: 'work' };
    await refused({ source: 'gitlab' }, 'source');
    await refused({ source: 'github', url: 'x' }, 'url');
    await refused({ source: 'generic', secret: 'x' }, 'secret');
    await refused({ source: 'github', secret: '' }, 'secret');
    await refused({ source: 'github', secret: 'x'.repeat(256) }, 'secret');
    await refused({ source: 'standard', secret: 'not one of theirs' }, 'secret');
    await refused({ source: 'github', targets: [] }, 'targets');
    await refused({ source: 'github', targets: Array(21).fill(target) }, 'targets');
    await refused({ source: 'github', targets: [target, target] }, 'targets[1]');
    await refused({ source: 'github', targets: [{ ...target, more: 1 }] }, 'targets[0].more');
    await refused({ source: 'github', trustedSenders: [] }, 'trustedSenders');
    await refused({ source: 'github', trustedSenders: ['a', 'a'] }, 'trustedSenders[1]');
    await refused({ source: 'github', trustedSenders: Array.from({ length: 101 }, (_, n) => `${n}`) }, 'trustedSenders');
    owner = await endpoint({ queues: Array.from({ length: 21 }, (_, n) => `q${n}`) });
    await refused({ source: 'github' }, 'targets');
  });

  it('is listed and deleted at its own endpoint only', async () => {
    const first = (await of().create({ source: 'generic' })).webhook;
    await board.clock.advance(1);
    const next = (await of().create({ source: 'github' })).webhook;
    const beside = await endpoint();
    expect(await of().list()).toEqual([first, next]);
    expect(await of(beside).list()).toEqual([]);
    await expect(of(beside).delete(first.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await of().delete(first.id);
    await expect(of().delete(first.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await of().list()).toEqual([next]);
  });
});
