import type { Wake } from './wake.js';

/** Wakes that wait at most: they hold a few names each, and are hints. */
export const WAKES_MAX = 1_024;

/** Wakes that nobody has looked at yet, oldest first. Bounded: what finds no room is dropped by the caller. */
export class WakeQueue {
  #wakes: Wake[] = [];

  constructor(private readonly most = WAKES_MAX) {}

  /** @returns false: there is no room. */
  add(wake: Wake): boolean {
    if (this.#wakes.length >= this.most) return false;
    this.#wakes.push(wake);
    return true;
  }

  next(): Wake | undefined {
    return this.#wakes.shift();
  }

  /** Takes all of them out. */
  clear(): Wake[] {
    return this.#wakes.splice(0);
  }
}
