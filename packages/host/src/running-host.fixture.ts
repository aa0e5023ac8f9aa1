/** A host of the real parts, in this process, on a free port: for tests of the API. */
import type { HostOptions } from './config/host-config.js';
import { createHost, type Host, type HostPorts } from './host.js';

export const ROOT_KEY = 'root-key-of-the-test';

export interface Call {
  /** Default the root key; null sends none. */
  readonly key?: string | null;
  readonly organization?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, instead of `body`. */
  readonly raw?: string | Uint8Array | ReadableStream;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: what came back, to be looked into
  readonly body: any;
}

export interface RunningHost {
  readonly host: Host;
  call(method: string, path: string, call?: Call): Promise<Answer>;
}

export async function runHost(options: HostOptions = {}, ports: HostPorts = {}): Promise<RunningHost> {
  const host = createHost({ database: { url: 'memory:' }, port: 0, apiKey: ROOT_KEY, ...options }, ports);
  await host.start();
  return {
    host,
    async call(method, path, { key = ROOT_KEY, organization, body, raw, headers = {} } = {}) {
      const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
      const response = await fetch(`${host.url}${path}`, {
        method,
        headers: {
          ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
          ...(organization === undefined ? {} : { 'Bellhop-Organization': organization }),
          ...(content === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(content === undefined ? {} : { body: content as string, duplex: 'half' }),
      } as RequestInit);
      const text = await response.text();
      const json = response.headers.get('content-type')?.includes('json');
      return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : text };
    },
  };
}

/** Asks again until the answer fits: deliveries are made after an emit is answered. */
export async function until(ask: () => Promise<Answer>, fits: (answer: Answer) => boolean, tries = 400): Promise<Answer> {
  for (let left = tries; ; left -= 1) {
    const answer = await ask();
    if (fits(answer)) return answer;
    if (left === 0) throw new Error(`It never came to what was waited for; the last answer: ${JSON.stringify(answer.body)}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
