import { randomBytes, randomUUID } from 'node:crypto';
import type { BoardEndpoint, InboundWebhook, MadeInboundWebhook, Store, WebhookSource } from '@bellhop/contracts';
import { makeWebhookSecret, type SecretSealer } from '@bellhop/outbound';
import { hashCredential, makeCredential } from '../credential.js';
import {
  deleteWebhook,
  findWebhookByToken,
  insertWebhook,
  listWebhooks,
  toWebhook,
  type WebhookOfTokenRecord,
  type WebhookRecord,
} from '../sql/webhooks.js';
import type { CheckedWebhook } from '../webhook-input.js';

const ID_PREFIX = 'wh_';
const SECRET_BYTES = 32;

/** A webhook and what its owner is. */
export interface WebhookOfToken {
  readonly webhook: InboundWebhook;
  readonly organizationId: string;
  /** Sealed to the webhook's id; null: it has none. */
  readonly sealedSecret: string | null;
  readonly owner: Pick<BoardEndpoint, 'state' | 'expiresAt'>;
}

export interface WebhookStoreOptions {
  readonly store: Store;
  readonly sealer: SecretSealer;
}

/** Inbound webhooks in the database. Of a token only the hash is there, of a secret only what the sealer made of it. */
export class WebhookStore {
  readonly #store: Store;
  readonly #sealer: SecretSealer;

  constructor({ store, sealer }: WebhookStoreOptions) {
    this.#store = store;
    this.#sealer = sealer;
  }

  /**
   * Makes its token, and its secret where none was given and its source signs.
   *
   * @throws BellhopError `ENCRYPTION_KEY` for one that has a secret, where no key is configured.
   */
  async insert(
    { source, targets, trustedSenders, secret }: CheckedWebhook,
    { id: endpointId, organizationId }: BoardEndpoint,
  ): Promise<MadeInboundWebhook> {
    const id = ID_PREFIX + randomUUID();
    const token = makeCredential('webhook');
    const made = secret === null ? makeSecret(source) : null;
    const kept = secret ?? made;
    const { rows } = await this.#store.write<WebhookRecord>(
      insertWebhook,
      {
        id,
        organizationId,
        endpointId,
        tokenHash: hashCredential(token),
        source,
        secret: kept === null ? null : this.#sealer.seal(kept, id),
        targets: JSON.stringify(targets),
        trustedSenders: trustedSenders === null ? null : JSON.stringify(trustedSenders),
        now: this.#store.clock.now(),
      },
      { organizationId },
    );
    return { webhook: toWebhook(rows[0] as WebhookRecord), token, secret: made };
  }

  /** Oldest first. */
  async listOf(endpointId: string): Promise<InboundWebhook[]> {
    return (await this.#store.read<WebhookRecord>(listWebhooks, { endpointId })).map(toWebhook);
  }

  /** @returns false where the endpoint has none of that id. */
  async remove(id: string, { id: endpointId, organizationId }: Pick<BoardEndpoint, 'id' | 'organizationId'>): Promise<boolean> {
    const { changes } = await this.#store.write(deleteWebhook, { id, endpointId }, { organizationId });
    return changes === 1;
  }

  /** Whatever the state of its owner, which is the caller's to judge. */
  async byTokenHash(tokenHash: string): Promise<WebhookOfToken | undefined> {
    const [row] = await this.#store.read<WebhookOfTokenRecord>(findWebhookByToken, { tokenHash });
    return (
      row && {
        webhook: toWebhook(row),
        organizationId: row.organization_id,
        sealedSecret: row.secret,
        owner: { state: row.state as BoardEndpoint['state'], expiresAt: row.expires_at },
      }
    );
  }
}

function makeSecret(source: WebhookSource): string | null {
  if (source === 'generic') return null;
  return source === 'standard' ? makeWebhookSecret() : randomBytes(SECRET_BYTES).toString('hex');
}
