/**
 * Decides whether a URL may be called, and at which addresses. Must never let through a target one of whose addresses is not public or opened
 * by the operator: every notation and every answer of the resolver comes down to addresses, and those are what is checked.
 */
import { type Clock, InputError, systemClock } from '@bellhop/kernel';
import { classOfAddress, parseAddress } from './address-classes.js';
import { type AddressLookup, SharedLookups } from './address-lookup.js';
import { AllowedRanges } from './allowed-ranges.js';
import { dnsLookup } from './dns-lookup.js';
import { LookupFailure, OutboundRefusal } from './outbound-errors.js';
import { type OutboundPolicy, outboundPolicySchema } from './outbound-policy.js';

export interface TargetAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** A URL that may be called, and the only addresses at which. */
export interface CheckedTarget {
  /** Without fragment, the host without its trailing dot. */
  readonly url: URL;
  /** One or more, in the resolver's order. */
  readonly addresses: readonly TargetAddress[];
}

export interface OutboundGuardOptions {
  readonly policy: OutboundPolicy;
  /** Default: the machine's hosts file, then its DNS servers, asked for the full name. */
  readonly lookup?: AddressLookup | undefined;
  /** Bounds the lookup to 10 s. Default: the system's clock. */
  readonly clock?: Clock | undefined;
}

const MAX_URL_LENGTH = 2_048;

const LOCALHOST: readonly TargetAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];
const HOW_TO_OPEN = 'only public addresses are called, and those that the operator opened (BELLHOP_OUTBOUND_ALLOW_CIDRS)';

export class OutboundGuard {
  private readonly allowHttp: boolean;
  private readonly allowed: AllowedRanges;
  private readonly lookups: SharedLookups;

  /** @throws InputError `INVALID_INPUT` for a policy that {@link outboundPolicySchema} refuses. */
  constructor({ policy, clock = systemClock, lookup = dnsLookup({ clock }) }: OutboundGuardOptions) {
    const { allowHttp, allowCidrs } = parsePolicy(policy);
    this.allowHttp = allowHttp;
    this.allowed = new AllowedRanges(allowCidrs);
    this.lookups = new SharedLookups(lookup, clock);
  }

  /**
   * @param url an absolute URL of at most 2 048 characters.
   * @param signal ends the lookup.
   * @throws OutboundRefusal when it may not be called.
   * @throws LookupFailure when its host cannot be looked up within 10 s.
   * @throws the signal's reason when that is aborted before the lookup is done.
   */
  async check(url: string, signal?: AbortSignal): Promise<CheckedTarget> {
    const parsed = this.parse(url);
    const host = parsed.hostname.replace(/^\[|\]$/g, '');
    const addresses = (await this.addressesOf(host, signal)).map(({ address }) => this.checked(address, address === host));
    return { url: parsed, addresses };
  }

  private parse(text: string): URL {
    if (typeof text !== 'string' || text === '') throw new OutboundRefusal('a text with a URL is needed, as https://example.org/hook');
    if (text.length > MAX_URL_LENGTH) {
      throw new OutboundRefusal(`it has ${text.length} characters and may have ${MAX_URL_LENGTH}`);
    }
    // The URL parser drops or trims them, so what is stored and shown would not be what is called.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are the ones meant.
    if (/[\u0000-\u0020\u007f]/.test(text)) throw new OutboundRefusal('it has blanks or control characters; encode them with %');
    if (!URL.canParse(text)) throw new OutboundRefusal('it is no absolute URL; give one as https://example.org/hook');
    const url = new URL(text);
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && this.allowHttp)) {
      const allowed = this.allowHttp ? 'https: and http: are allowed' : 'only https: is allowed (BELLHOP_OUTBOUND_ALLOW_HTTP opens http:)';
      throw new OutboundRefusal(`its scheme is ${url.protocol.slice(0, 20)}, and ${allowed}`);
    }
    if (url.username !== '' || url.password !== '') {
      throw new OutboundRefusal('it carries a user name or password; put credentials into a header');
    }
    if (url.port === '0') throw new OutboundRefusal('its port is 0; give 1 to 65535');
    // Never sent, so never part of the target either.
    url.hash = '';
    // With the dot it is the same name to a resolver, but another one to a TLS certificate.
    if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1);
    if (url.hostname.split('.').includes('')) throw new OutboundRefusal('its host name has an empty part');
    return url;
  }

  private async addressesOf(host: string, signal: AbortSignal | undefined): Promise<readonly { readonly address: string }[]> {
    if (parseAddress(host) !== undefined) return [{ address: host }];
    // These names mean the machine itself (RFC 6761), whatever a resolver says; either family will do, so the opened ones are enough.
    if (host === 'localhost' || host.endsWith('.localhost')) {
      const opened = LOCALHOST.filter(({ address }) => this.allowed.admit(parseAddress(address)!));
      return opened.length > 0 ? opened : LOCALHOST;
    }
    const found = await this.lookups.of(host, signal);
    if (found.length === 0) throw new LookupFailure(`${host} has no address.`);
    return found;
  }

  private checked(text: string, literal: boolean): TargetAddress {
    const address = typeof text === 'string' ? parseAddress(text) : undefined;
    if (address === undefined) throw new OutboundRefusal('its host was looked up to something that is no IP address');
    if (!this.allowed.admit(address)) {
      // Where a name leads is not told: the answer would show the names of a private network to whoever may set a URL.
      throw new OutboundRefusal(`its host ${literal ? 'is' : 'leads to'} a ${classOfAddress(address)} address; ${HOW_TO_OPEN}`);
    }
    return { address: text, family: address.kind() === 'ipv4' ? 4 : 6 };
  }
}

function parsePolicy(policy: OutboundPolicy): { allowHttp: boolean; allowCidrs: string[] } {
  const parsed = outboundPolicySchema.safeParse(policy);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  const path = ['policy', ...issue.path.map(String)].join('.');
  throw new InputError('INVALID_INPUT', `${path}: ${issue.message}.`, { path });
}
