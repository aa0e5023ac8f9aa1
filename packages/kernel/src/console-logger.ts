import type { LogFields, Logger } from './logger.js';

/**
 * What a kernel logs with unless it is given a logger: warnings and errors, one line each, on standard error. Embedding code that never thought
 * of logging still hears of a failing channel.
 */
export function createConsoleLogger(bound: LogFields = {}): Logger {
  const write = (level: string, fields: LogFields, message: string): void => {
    console.error(`${level}: ${message} ${JSON.stringify({ ...bound, ...fields })}`);
  };
  return {
    debug() {},
    info() {},
    warn: (fields, message) => write('warn', fields, message),
    error: (fields, message) => write('error', fields, message),
    child: (fields) => createConsoleLogger({ ...bound, ...fields }),
  };
}
