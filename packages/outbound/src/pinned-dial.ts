/**
 * Opens the connection of one call. Must never ask a resolver: a name that led to a public address when it was checked may lead elsewhere a
 * moment later, so the dial goes only to the addresses that were checked.
 */
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { buildConnector } from 'undici';
import type { CheckedTarget, TargetAddress } from './outbound-guard.js';

export interface DialOptions {
  /** Certificates in PEM to trust instead of the machine's. */
  readonly ca?: string | readonly string[] | undefined;
  /** Ends the dial, and the connection after it. */
  readonly signal: AbortSignal;
}

/** The connector for an undici client of this target. TLS is 1.2 or later and always verified against the host of the URL. */
export function pinnedDial({ url, addresses }: CheckedTarget, { ca, signal }: DialOptions): buildConnector.connector {
  const secure = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const tcp = { host, port: Number(url.port || (secure ? 443 : 80)), lookup: pinnedLookup(addresses), autoSelectFamily: true };
  return (_options, callback) => {
    const socket: Socket = secure
      ? connectTls({
          ...tcp,
          // From the URL, never from a Host header. A literal address has no server name, and is verified as the address it is.
          ...(isIP(host) === 0 ? { servername: host } : {}),
          minVersion: 'TLSv1.2',
          // Said outright, as NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment would turn it off.
          rejectUnauthorized: true,
          ALPNProtocols: ['http/1.1'],
          ...(ca === undefined ? {} : { ca: typeof ca === 'string' ? ca : [...ca] }),
        })
      : connectTcp(tcp);
    // A dial to a host that swallows packets outlives the client that asked for it by minutes, unless it is ended itself.
    const end = () => socket.destroy(new Error('The call was ended.'));
    signal.addEventListener('abort', end, { once: true });
    socket.once('close', () => signal.removeEventListener('abort', end));
    if (signal.aborted) end();

    let answered = false;
    const answerOnce = (...outcome: Parameters<buildConnector.Callback>) => {
      if (!answered) callback(...outcome);
      answered = true;
    };
    socket.setNoDelay(true);
    socket.once(secure ? 'secureConnect' : 'connect', () => answerOnce(null, socket));
    socket.on('error', (error) => answerOnce(error, null));
  };
}

function pinnedLookup(addresses: readonly TargetAddress[]): LookupFunction {
  return (_hostname, options, callback) => {
    if (options.all) callback(null, [...addresses]);
    else callback(null, addresses[0]!.address, addresses[0]!.family);
  };
}
