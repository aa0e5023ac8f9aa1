import type { Clock, Logger } from '@bellhop/kernel';
import { pino } from 'pino';
import type { LogLevel } from './config/host-config.js';

/**
 * JSON lines on standard output, one per event. Standard error stays free for the one line that says why a command failed.
 * Synchronous, so that the last line before an exit is not lost.
 */
export function createLogger(level: LogLevel, clock: Clock): Logger {
  return pino(
    { level, base: null, timestamp: () => `,"time":${clock.now()}`, formatters: { level: (label) => ({ level: label }) } },
    pino.destination({ fd: 1, sync: true }),
  );
}
