/** Calls a caller's hook. What it throws, or rejects with, is ignored: a hook may watch the work, never stop it. */
export function isolated(hook: () => unknown): void {
  try {
    const returned = hook();
    if (returned instanceof Promise) returned.catch(() => {});
  } catch {
    // Said above.
  }
}
