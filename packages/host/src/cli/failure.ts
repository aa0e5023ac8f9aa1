import { BellhopError, errorMessage, KernelError } from '@bellhop/kernel';

/** What went wrong, in one line: the reason a plugin gave rather than the plugin's failing. */
export function failureLine(error: unknown): string {
  const reason = error instanceof KernelError && error.cause instanceof BellhopError ? error.cause : error;
  return `bellhop: ${errorMessage(reason).replace(/\s*\n\s*/g, ' ')}`;
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
