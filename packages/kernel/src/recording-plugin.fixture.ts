/** Plugins for tests that write down each step as it begins. */
import type { KernelPlugin } from './plugin.js';

export function recordingPlugin(log: string[], name: string, members: Partial<KernelPlugin> = {}): KernelPlugin {
  return {
    ...members,
    name,
    async init(ctx) {
      log.push(`${name}.init`);
      await members.init?.(ctx);
    },
    async start(ctx) {
      log.push(`${name}.start`);
      await members.start?.(ctx);
    },
    async stop(ctx) {
      log.push(`${name}.stop`);
      await members.stop?.(ctx);
    },
  };
}

/** A step that waits until the test lets it go. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** A step that never ends. */
export const hang = () => new Promise<never>(() => {});

export function fail(message: string): () => never {
  return () => {
    throw new Error(message);
  };
}
