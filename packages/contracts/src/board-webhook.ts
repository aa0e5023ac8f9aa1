/** Who sends to an inbound webhook. `generic` trusts the URL; the others sign. */
export const WEBHOOK_SOURCES = ['github', 'gitea', 'stripe', 'slack', 'standard', 'generic'] as const;
export type WebhookSource = (typeof WEBHOOK_SOURCES)[number];

export interface WebhookTarget {
  readonly endpointId: string;
  readonly queue: string;
}

/** A URL that others send events to. Its token and secret are never shown again. Times are epoch milliseconds. */
export interface InboundWebhook {
  /** `wh_` and a UUID. */
  readonly id: string;
  /** Its owner: its events are of it, and what is quarantined waits there. */
  readonly endpointId: string;
  readonly source: WebhookSource;
  readonly targets: readonly WebhookTarget[];
  /** Senders whose todos go to their targets; those of others go to quarantine. Null: everybody's. */
  readonly trustedSenders: readonly string[] | null;
  readonly createdAt: number;
}

export interface InboundWebhookInput {
  readonly source: WebhookSource;
  /** One todo is made for each: 1 to 20, endpoints of the same organization and queues of their scope. Default: each queue of the owner. */
  readonly targets?: readonly WebhookTarget[] | undefined;
  /** 1 to 100 names of 1 to 255 characters. Default: everybody is trusted. */
  readonly trustedSenders?: readonly string[] | undefined;
  /** The secret that the source signs with, 1 to 255 characters. Default: one is made and shown once. A `generic` webhook has none. */
  readonly secret?: string | undefined;
}

export interface MadeInboundWebhook {
  readonly webhook: InboundWebhook;
  /** The last part of its URL, `/webhooks/w/<token>`: the only time it is seen. */
  readonly token: string;
  /** Only where the board made it: the only time it is seen. */
  readonly secret: string | null;
}

/** An inbound request, as it came. */
export interface InboundRequest {
  readonly token: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The raw bytes: what was signed. */
  readonly body: Uint8Array;
  /** Of whoever sent it, for the rate limit: 10 a second, 20 at once. */
  readonly address: string;
}

export interface IngestResult {
  readonly eventId: string;
  /** The todos of the event: of a delivery that was here before, the first ones. */
  readonly todoIds: readonly string[];
  /** It was here before: nothing was stored. */
  readonly replayed: boolean;
  readonly verified: boolean;
}

/** A signed delivery that asks whether its URL is ours, as Slack's does before it sends events there: it is answered, and is no event. */
export interface AnsweredChallenge {
  /** To be sent back. */
  readonly challenge: string;
}

/** Inbound webhooks of one endpoint. */
export interface BoardWebhooks {
  create(input: InboundWebhookInput): Promise<MadeInboundWebhook>;
  list(): Promise<InboundWebhook[]>;
  delete(id: string): Promise<void>;
}
