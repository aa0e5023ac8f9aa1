import type { Clock } from '@bellhop/kernel';

/** Lets callers wait until something that changes by events has become true. */
export class Changes {
  private readonly watchers = new Set<() => void>();

  constructor(private readonly clock: Clock) {}

  /** Something changed: conditions are looked at again. */
  happened(): void {
    for (const watch of [...this.watchers]) watch();
  }

  /** @returns true once `condition` holds; false when `withinMs` passed first. */
  async until(condition: () => boolean, withinMs?: number): Promise<boolean> {
    if (condition()) return true;
    return new Promise<boolean>((resolve) => {
      const end = (met: boolean) => {
        this.watchers.delete(watch);
        timer?.cancel();
        resolve(met);
      };
      const watch = () => {
        if (condition()) end(true);
      };
      const timer = withinMs === undefined ? null : this.clock.setTimeout(() => end(false), withinMs);
      this.watchers.add(watch);
    });
  }
}
