/** What an operator opens beyond public https targets, as configuration gives it. */
import { z } from 'zod';
import { cidrProblem } from './allowed-ranges.js';

export type OutboundPolicy = {
  /** Also allow `http:` URLs. Default false. */
  readonly allowHttp?: boolean | undefined;
  /**
   * Ranges that may be called although they are not public, as `10.20.0.0/16`, `127.0.0.1/32` or `::1/128`; at most 100. Default none.
   *
   * However broad, an entry opens loopback or link-local addresses only if it lies wholly inside 127.0.0.0/8, ::1/128, 169.254.0.0/16 or
   * fe80::/10, and a cloud metadata address only if it is that address with /32 or /128. Nothing opens unspecified, multicast, broadcast,
   * IPv4-mapped, -compatible or -translated, 6to4 or Teredo addresses. An entry with 64:ff9b::/96 opens the NAT64 addresses of the IPv4
   * addresses that may be called themselves.
   */
  readonly allowCidrs?: readonly string[] | undefined;
};

const cidr = z.string().superRefine((text, context) => {
  const problem = cidrProblem(text);
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
});

/** Fills in the defaults. Refuses unknown keys and every entry that is no range or opens nothing. */
export const outboundPolicySchema = z.strictObject({
  allowHttp: z.boolean().default(false),
  allowCidrs: z.array(cidr).max(100).default([]),
});
