import { token } from './token.js';

/** Fields of one log line: ids and counts, never payloads or secrets. */
export type LogFields = Readonly<Record<string, unknown>>;

/** The port every part of Bellhop logs through; a pino logger fits it as it is. One line per event. */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  child(fields: LogFields): Logger;
}

/** Drops everything: the default of every part that is used without a host. */
export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLogger,
};

export const LOGGER = token<Logger>('LOGGER');
