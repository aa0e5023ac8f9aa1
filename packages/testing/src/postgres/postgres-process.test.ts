import { expect, it } from 'vitest';
import { startFailed } from './postgres-process.js';

it.each([
  ['LOG:  listening on IPv4 address "127.0.0.1", port 1', false],
  ['LOG:  starting\nFATAL:  the database system is starting up', false],
  ['FATAL:  the database system is not yet accepting connections', false],
  ['FATAL:  the database system is starting up\nFATAL:  could not create any TCP/IP sockets', true],
  ['FATAL:  data directory "/x" has wrong ownership', true],
])('of a start that logs %j, it is told whether it failed', (log, failed) => {
  expect(startFailed(log)).toBe(failed);
});
