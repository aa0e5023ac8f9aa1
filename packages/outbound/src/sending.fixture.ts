/** A client on a manual clock that may reach this machine, for names which a scripted resolver leads here. */
import { ManualClock } from '@bellhop/testing/manual-clock';
import { OutboundClient, type OutboundClientOptions, type OutboundRequest } from './outbound-client.js';
import { OutboundGuard } from './outbound-guard.js';
import type { OutboundPolicy } from './outbound-policy.js';

export const LOCAL_POLICY: OutboundPolicy = { allowHttp: true, allowCidrs: ['127.0.0.1/32'] };
export const TIMEOUT_MS = 15_000;

export interface SendingOptions {
  readonly policy?: OutboundPolicy;
  /** What each lookup answers, in turn; the last answer stays. Default: 127.0.0.1. */
  readonly answers?: readonly (readonly string[])[];
  readonly ca?: OutboundClientOptions['ca'];
}

export function sending({ policy = LOCAL_POLICY, answers = [['127.0.0.1']], ca }: SendingOptions = {}) {
  const clock = new ManualClock();
  const asked: string[] = [];
  const lookup = async (host: string) => {
    const answer = answers[Math.min(asked.length, answers.length - 1)]!;
    asked.push(host);
    return answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  const client = new OutboundClient({ guard: new OutboundGuard({ policy, lookup, clock }), clock, ca });
  const send = (url: string, more: Partial<OutboundRequest> = {}) =>
    client.send({ url, method: 'POST', headers: {}, body: '{}', timeoutMs: TIMEOUT_MS, ...more });
  return { clock, asked, client, send };
}
