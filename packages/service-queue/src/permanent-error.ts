/** Thrown by a handler: trying again would not help, so the job is dead at once. */
export class PermanentError extends Error {
  override readonly name: string = 'PermanentError';
}

/** Told by its class, or by its name: a plugin may bring a copy of this package of its own. To ask some values what they are throws, and they are not permanent. */
export function isPermanent(thrown: unknown): boolean {
  try {
    return thrown instanceof PermanentError || (thrown instanceof Error && thrown.name === 'PermanentError');
  } catch {
    return false;
  }
}
