import type { ReadyReason, ReadyTodo, WakeOutcomeKind } from '@bellhop/contracts';

/** The first that any delivery had is the wake's: one receiver that accepted it is enough. */
const RANK: readonly WakeOutcomeKind[] = ['delivered', 'failed', 'dropped', 'suppressed'];

/** One wake, from when it was fired until the last of its deliveries has ended. */
export class Wake {
  #open = 0;
  readonly #ends = new Set<WakeOutcomeKind>();

  constructor(
    readonly todo: ReadyTodo,
    readonly reason: ReadyReason,
    readonly wakeId: string | undefined,
    /** Epoch milliseconds. */
    readonly firedAt: number,
  ) {}

  /** Deliveries that it waits for. */
  expect(deliveries: number): void {
    this.#open += deliveries;
  }

  /** A delivery has ended. @returns what came of the wake, once it was the last. */
  end(outcome: WakeOutcomeKind): WakeOutcomeKind | undefined {
    this.#ends.add(outcome);
    this.#open -= 1;
    return this.#open === 0 ? RANK.find((each) => this.#ends.has(each)) : undefined;
  }
}
