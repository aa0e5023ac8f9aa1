export type { AddressLookup, FoundAddress } from './address-lookup.js';
export {
  OutboundClient,
  type OutboundClientOptions,
  type OutboundRequest,
  type OutboundResult,
} from './outbound-client.js';
export { LookupFailure, OutboundRefusal } from './outbound-errors.js';
export type { FailureCause } from './outbound-failure.js';
export { type CheckedTarget, OutboundGuard, type OutboundGuardOptions, type TargetAddress } from './outbound-guard.js';
export { type OutboundPolicy, outboundPolicySchema } from './outbound-policy.js';
export { SecretSealer } from './secret-sealer.js';
export { makeWebhookSecret } from './webhook-secret.js';
export { signWebhook, verifyWebhook, type WebhookHeaders, type WebhookMessage, type WebhookToVerify } from './webhook-signature.js';
