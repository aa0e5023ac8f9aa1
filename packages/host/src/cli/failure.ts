import { BellhopError, errorMessage, KernelError } from '@bellhop/kernel';

/** What the store adds whenever a connection breaks. While it is being opened no write can be on its way. */
const WRITE_HINT = / A write that was on its way may or may not have happened\./;

/** What went wrong, in one line: the reason a plugin gave rather than the plugin's failing. */
export function failureLine(error: unknown): string {
  const reason = error instanceof KernelError && error.cause instanceof BellhopError ? error.cause : error;
  const text = errorMessage(reason).replace(/\s*\n\s*/g, ' ');
  return `bellhop: ${text.startsWith('Cannot open ') ? text.replace(WRITE_HINT, '') : text}`;
}

/**
 * Runs a command: whatever it throws becomes one line on standard error and exit code 1. An error that nobody foresaw brings its stack along,
 * since its message alone rarely tells where to look.
 */
export function failWithOneLine<Args extends unknown[]>(command: (...args: Args) => Promise<void>): (...args: Args) => Promise<void> {
  return async (...args) => {
    try {
      await command(...args);
    } catch (error) {
      const foreseen = error instanceof BellhopError;
      process.stderr.write(
        `${foreseen ? failureLine(error) : `bellhop: unexpected: ${error instanceof Error ? error.stack : String(error)}`}\n`,
      );
      process.exitCode = 1;
    }
  };
}
