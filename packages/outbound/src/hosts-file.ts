/**
 * What the machine's hosts file says about a name. Must never guess: a line that is not one address in its strict notation and then names is left
 * out. It vouches for nothing either: its addresses are checked as those of any resolver are.
 */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAddress } from './address-classes.js';
import type { FoundAddress } from './address-lookup.js';

export type Hosts = ReadonlyMap<string, readonly FoundAddress[]>;

const NAME = /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*$/;
const LONGEST_NAME = 253;
const NOTHING: Hosts = new Map();

export class HostsFile {
  private read: { readonly version: string; readonly hosts: Hosts } | undefined;

  constructor(private readonly path: string = systemHostsFile()) {}

  /** In the file's order; empty for a name that is not in it, or without a file that can be read. Read again when it was changed. */
  async addressesOf(host: string): Promise<readonly FoundAddress[]> {
    return (await this.hosts()).get(host.toLowerCase()) ?? [];
  }

  private async hosts(): Promise<Hosts> {
    try {
      // Before the text: a change between the two is then seen by the next lookup.
      const { mtimeNs, size, ino } = await stat(this.path, { bigint: true });
      const version = `${mtimeNs} ${size} ${ino}`;
      if (this.read?.version !== version) this.read = { version, hosts: parseHosts(await readFile(this.path, 'utf8')) };
      return this.read.hosts;
    } catch {
      // As every resolver does it: a machine without the file has nothing to say here.
      return NOTHING;
    }
  }
}

/** Lines of `address name [name …]`; `#` begins a comment. A name on several lines has all their addresses, each once. */
export function parseHosts(text: string): Hosts {
  const hosts = new Map<string, FoundAddress[]>();
  for (const line of text.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    const [address = '', ...names] = line
      .replace(/#.*$/, '')
      .split(/[ \t]+/)
      .filter((field) => field !== '');
    const parsed = parseAddress(address);
    if (parsed === undefined) continue;
    const entry = { address, family: parsed.kind() === 'ipv4' ? 4 : 6 };
    for (const name of names.map((given) => given.toLowerCase().replace(/\.$/, ''))) {
      if (name.length > LONGEST_NAME || !NAME.test(name)) continue;
      const known = hosts.get(name) ?? [];
      if (!known.some((other) => other.address === address)) hosts.set(name, [...known, entry]);
    }
  }
  return hosts;
}

function systemHostsFile(): string {
  return process.platform === 'win32' ? join(process.env.SystemRoot ?? 'C:\\Windows', 'System32', 'drivers', 'etc', 'hosts') : '/etc/hosts';
}
