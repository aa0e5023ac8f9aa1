/** A DNS server on this machine that answers for the names it is given, says of others that they do not exist, and of some nothing at all. */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import ipaddr from 'ipaddr.js';

export type Family = 'A' | 'AAAA';
/** Addresses to answer, or `silent`; a family that is left out has no address (NODATA). */
export type Zone = Readonly<Record<string, Partial<Record<Family, readonly string[] | 'silent'>>>>;

const TYPE_OF: Readonly<Record<number, Family>> = { 1: 'A', 28: 'AAAA' };
const NXDOMAIN = 3;

export class DnsServer {
  /** `A name` or `AAAA name`, each once: a resolver repeats a question that is not answered. */
  readonly asked = new Set<string>();
  private readonly waiting = new Set<() => void>();

  private constructor(
    private readonly socket: Socket,
    private readonly zone: Zone,
  ) {
    socket.on('message', (question, from) => this.take(question, from));
  }

  static async open(zone: Zone): Promise<DnsServer> {
    const socket = createSocket('udp4');
    const server = new DnsServer(socket, zone);
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return server;
  }

  get servers(): readonly string[] {
    return [`127.0.0.1:${this.socket.address().port}`];
  }

  /** Resolves when all of these questions were asked. */
  async heard(questions: readonly string[]): Promise<void> {
    while (!questions.every((question) => this.asked.has(question))) {
      await new Promise<void>((resolve) => this.waiting.add(resolve));
    }
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.socket.close(resolve));
  }

  private take(message: Buffer, from: RemoteInfo): void {
    const { name, family, question } = readQuestion(message);
    this.asked.add(`${family} ${name}`);
    const entry = this.zone[name];
    const answer = entry?.[family] ?? [];
    if (answer !== 'silent')
      this.socket.send(reply(message, question, answer, entry === undefined ? NXDOMAIN : 0), from.port, from.address);
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
  }
}

function readQuestion(message: Buffer): { name: string; family: Family; question: Buffer } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at]!; length > 0; length = message[at]!) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const family = TYPE_OF[message.readUInt16BE(at + 1)];
  if (family === undefined) throw new Error('The fixture is asked for addresses only.');
  return { name: labels.join('.').toLowerCase(), family, question: message.subarray(12, at + 5) };
}

function reply(message: Buffer, question: Buffer, addresses: readonly string[], code: number): Buffer {
  const header = Buffer.alloc(12);
  message.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180 | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(addresses.length, 6);
  return Buffer.concat([header, question, ...addresses.map(record)]);
}

function record(address: string): Buffer {
  const bytes = ipaddr.parse(address).toByteArray();
  // The name is a pointer to the question's; class IN, to be kept for 0 s.
  const head = Buffer.from([0xc0, 0x0c, 0, bytes.length === 4 ? 1 : 28, 0, 1, 0, 0, 0, 0, 0, bytes.length]);
  return Buffer.concat([head, Buffer.from(bytes)]);
}
