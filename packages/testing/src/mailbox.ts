/** What arrives from another process, kept in order until someone takes it. Nothing is lost between two waits. */
interface Waiter<T> {
  readonly matches: (item: T) => boolean;
  readonly resolve: (item: T) => void;
  readonly reject: (reason: Error) => void;
}

export class Mailbox<T> {
  readonly #items: T[] = [];
  readonly #waiters = new Set<Waiter<T>>();
  #closed: (() => Error) | undefined;

  deliver(item: T): void {
    for (const waiter of this.#waiters) {
      if (!waiter.matches(item)) continue;
      this.#waiters.delete(waiter);
      waiter.resolve(item);
      return;
    }
    this.#items.push(item);
  }

  /** The first item that matches, now or later. Rejects once the mailbox is closed and holds none. */
  take(matches: (item: T) => boolean = () => true): Promise<T> {
    const index = this.#items.findIndex(matches);
    if (index >= 0) return Promise.resolve(this.#items.splice(index, 1)[0] as T);
    if (this.#closed) return Promise.reject(this.#closed());
    return new Promise((resolve, reject) => this.#waiters.add({ matches, resolve, reject }));
  }

  /** Nothing arrives any more: whoever waits is told why. */
  close(reason: () => Error): void {
    this.#closed = reason;
    for (const waiter of this.#waiters) waiter.reject(reason());
    this.#waiters.clear();
  }
}
