import type { BoardWakes, Store } from '@bellhop/contracts';
import { silentLogger } from '@bellhop/kernel';
import { Charge, type ChargedNudge } from './charge.js';
import { chooseFairly, type DuePair } from './fair-choice.js';
import { LedgerKeeper } from './ledger-keeper.js';
import { NudgeTally } from './nudge-counts.js';
import { nudgeId } from './nudge-id.js';
import { pace } from './pace.js';
import { toFacts, toState } from './pair-rows.js';
import { type PairRow, readPairs } from './sql/read-pairs.js';

export interface StallSweepPorts {
  readonly store: Store;
  readonly wakes: BoardWakes;
  /** Default: one of its own, which says nothing. */
  readonly tally?: NudgeTally;
}

/**
 * Wakes the consumers of queues that hold claimable work nobody claims.
 *
 * Invariants: a wake is fired after the commit of what paid for it, by the process that paid; where nothing is due or to be kept, a sweep is one read,
 * and where hooks are switched off it is nothing at all. It must never move a todo.
 */
export class StallSweep {
  readonly #store: Store;
  readonly #wakes: BoardWakes;
  readonly #tally: NudgeTally;
  readonly #charge: Charge;
  readonly #keeper: LedgerKeeper;
  readonly #read;

  constructor({ store, wakes, tally = new NudgeTally(silentLogger) }: StallSweepPorts) {
    this.#store = store;
    this.#wakes = wakes;
    this.#tally = tally;
    this.#charge = new Charge(store, wakes);
    this.#keeper = new LedgerKeeper(store, wakes);
    this.#read = readPairs((family) => wakes.wakeSql(family));
  }

  /**
   * @param now epoch milliseconds, by the store's clock.
   * @param signal aborted: what is not charged yet is left to the next sweep.
   * @returns the number of nudges.
   * @throws the store's errors. Wakes that were paid for before one are fired all the same.
   */
  async run(now: number, signal?: AbortSignal): Promise<number> {
    if (!this.#wakes.hooksOn) return 0;
    const due = await this.#survey(now, signal);
    signal?.throwIfAborted();
    const chosen = chooseFairly(due);
    const charged = chosen.length > 0 ? await this.#charge.run(chosen, now) : [];
    for (const { todo, nudges, nudgedAt } of charged) {
      this.#tally.charged({ endpointId: todo.endpointId, queue: todo.queue, nudges, lastNudgedAt: nudgedAt });
    }
    try {
      await this.#keeper.keep(now);
    } finally {
      this.#fire(charged);
    }
    return charged.length;
  }

  /** Reads every pair: notes what the ledger needs, and gives those that are due. */
  async #survey(now: number, signal: AbortSignal | undefined): Promise<DuePair[]> {
    const due: DuePair[] = [];
    this.#keeper.begin(now);
    const look = (row: PairRow) => {
      const state = toState(row);
      const { endpoint_id: endpointId, queue } = row;
      if (state) {
        this.#tally.seen({ endpointId, queue, nudges: state.nudges, lastNudgedAt: state.lastNudgedAt });
        this.#keeper.look({ endpointId, queue, state, empty: row.oldest === null, held: row.held === 1 });
      }
      const paced = pace(state, toFacts(row, row.deliverable === 1), now);
      if (paced.due) due.push({ endpointId, queue, dueSince: paced.nextDueAt as number });
    };
    await this.#store.readRows<PairRow>(this.#read, { now }, look, { signal });
    return due;
  }

  #fire(charged: readonly ChargedNudge[]): void {
    for (const { todo, nudgedAt } of charged) this.#wakes.fireReady(todo, 'stalled', nudgeId(nudgedAt));
  }
}
