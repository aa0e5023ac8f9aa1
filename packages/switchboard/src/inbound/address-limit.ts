import type { Clock } from '@bellhop/kernel';
import { addressKey } from './address-key.js';

const PER_SECOND = 10;
const BURST = 20;
const MOST_ADDRESSES = 10_000;

interface Bucket {
  tokens: number;
  /** Monotonic milliseconds. */
  filledAt: number;
}

/**
 * How much one address may send, an IPv6 one with its /64: 20 requests at once, then 10 a second, in this process. It remembers the 10 000 addresses heard last: one that is
 * forgotten begins anew.
 */
export class AddressLimit {
  /** The one heard longest ago first. */
  readonly #buckets = new Map<string, Bucket>();
  readonly #clock: Clock;

  constructor({ clock }: { readonly clock: Clock }) {
    this.#clock = clock;
  }

  /** Addresses remembered. */
  get size(): number {
    return this.#buckets.size;
  }

  /** @returns false where the address has sent too much; a refused request costs it nothing. */
  take(address: string): boolean {
    const key = addressKey(address);
    const now = this.#clock.monotonic();
    const bucket = this.#buckets.get(key) ?? { tokens: BURST, filledAt: now };
    bucket.tokens = Math.min(BURST, bucket.tokens + ((now - bucket.filledAt) * PER_SECOND) / 1_000);
    bucket.filledAt = now;
    this.#remember(key, bucket);
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

  #remember(key: string, bucket: Bucket): void {
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size <= MOST_ADDRESSES) return;
    for (const oldest of this.#buckets.keys()) {
      this.#buckets.delete(oldest);
      break;
    }
  }
}
