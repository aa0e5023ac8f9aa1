import { monotonicMs } from './monotonic.js';

/** When each job began, by the machine's monotonic clock, for whoever waits for one. */
export class Starts {
  readonly #at = new Map<number, number>();
  readonly #waiting = new Map<number, (at: number) => void>();

  /** A second start of a job is not noted: what is measured is how long it waited. */
  note(n: number, at = monotonicMs()): void {
    if (this.#at.has(n)) return;
    this.#at.set(n, at);
    this.#waiting.get(n)?.(at);
    this.#waiting.delete(n);
  }

  /** @throws Error when it has not begun after `patienceMs`. */
  async of(n: number, patienceMs: number): Promise<number> {
    const begun = this.#at.get(n);
    if (begun !== undefined) return begun;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`job ${n} did not begin within ${patienceMs} ms of its publish`)), patienceMs);
      this.#waiting.set(n, (at) => {
        clearTimeout(timer);
        resolve(at);
      });
    });
  }
}
