import { createServer } from 'node:net';
import { type Finding, fail, ok } from './finding.js';

/** The oldest Node that Bellhop runs on. */
const OLDEST_NODE = [20, 19] as const;

export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return ok('node', version);
  return fail('node', `${version}; Bellhop needs ${OLDEST_NODE.join('.')} or newer`);
}

/** Free, or held by a host that answers as one: a doctor may be called while it runs. */
export async function checkPort(host: string, port: number): Promise<Finding> {
  const problem = await tryToListen(host, port);
  if (problem === undefined) return ok('port', port === 0 ? 'any free one' : `${port} on ${host} is free`);
  if (problem.code === 'EADDRINUSE' && (await isBellhop(host, port))) return ok('port', `${port} on ${host} is held by a running Bellhop`);
  return fail('port', `cannot listen on ${host}, port ${port}: ${problem.code === 'EADDRINUSE' ? 'it is taken' : problem.message}`);
}

function tryToListen(host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}

async function isBellhop(host: string, port: number): Promise<boolean> {
  const address = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  try {
    const response = await fetch(`http://${address.includes(':') ? `[${address}]` : address}:${port}/openapi.json`, {
      signal: AbortSignal.timeout(2_000),
    });
    return ((await response.json()) as { info?: { title?: string } }).info?.title === 'Bellhop';
  } catch {
    return false;
  }
}
