import type { BoardEndpoint, BoardWebhooks, InboundWebhook, InboundWebhookInput, MadeInboundWebhook } from '@bellhop/contracts';
import { BellhopError, type Clock } from '@bellhop/kernel';
import type { EndpointStore } from '../stores/endpoint-store.js';
import type { WebhookStore } from '../stores/webhook-store.js';
import { checkOwner, checkTargets, checkWebhook } from '../webhook-input.js';

export interface WebhooksOfEndpointOptions {
  readonly owner: BoardEndpoint;
  readonly endpoints: EndpointStore;
  readonly webhooks: WebhookStore;
  /** The store's. */
  readonly clock: Clock;
}

/** The inbound webhooks of one endpoint, as an operator works them. */
export class WebhooksOfEndpoint implements BoardWebhooks {
  readonly #options: WebhooksOfEndpointOptions;

  constructor(options: WebhooksOfEndpointOptions) {
    this.#options = options;
  }

  /** @throws InputError `INVALID_INPUT`; BellhopError `ENCRYPTION_KEY` for one that has a secret, where no key is configured. */
  async create(input: InboundWebhookInput): Promise<MadeInboundWebhook> {
    const { owner, endpoints, webhooks, clock } = this.#options;
    const checked = checkWebhook(input, owner);
    const ids = new Set([owner.id, ...checked.targets.map(({ endpointId }) => endpointId)]);
    const now = clock.now();
    const found = await endpoints.byIds([...ids], owner.organizationId);
    checkOwner(
      found.find(({ id }) => id === owner.id),
      now,
    );
    checkTargets(checked.targets, found, now);
    return webhooks.insert(checked, owner);
  }

  list(): Promise<InboundWebhook[]> {
    return this.#options.webhooks.listOf(this.#options.owner.id);
  }

  /** @throws BellhopError `NOT_FOUND`. */
  async delete(id: string): Promise<void> {
    if (await this.#options.webhooks.remove(id, this.#options.owner)) return;
    throw new BellhopError('NOT_FOUND', 'The endpoint has no webhook of this id; list its webhooks to see which it has.');
  }
}
