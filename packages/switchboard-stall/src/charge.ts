import type { BoardWakes, ReadyTodo, Statement, Store } from '@bellhop/contracts';
import type { DuePair } from './fair-choice.js';
import { type ChargedRow, chargePairs } from './sql/charge-pairs.js';

/** Everything that the ledger's writes touch belongs to many organizations. */
export const SWEEP_REASON = 'the stall sweep paces the queues of every organization; it reads nothing out and moves no todo';

/** A nudge that is paid for. */
export interface ChargedNudge {
  readonly todo: ReadyTodo;
  /** Of the pair, with this one. */
  readonly nudges: number;
  readonly nudgedAt: number;
}

/**
 * Charges pairs in the ledger. One statement decides and writes: what it returns has been committed, and this process alone is to tell of it.
 */
export class Charge {
  readonly #statement: Statement;

  constructor(
    private readonly store: Store,
    wakes: Pick<BoardWakes, 'wakeSql'>,
  ) {
    this.#statement = chargePairs((family) => wakes.wakeSql(family));
  }

  /** @returns those that were due still. */
  async run(pairs: readonly Pick<DuePair, 'endpointId' | 'queue'>[], now: number): Promise<ChargedNudge[]> {
    const rows = pairs.map(({ endpointId, queue }) => ({ endpoint_id: endpointId, queue }));
    const charged = await this.store.write<ChargedRow>(this.#statement, { now, pairs: JSON.stringify(rows) }, { global: SWEEP_REASON });
    return charged.rows.map((row) => ({
      todo: { id: row.todo_id, organizationId: row.organization_id, endpointId: row.endpoint_id, queue: row.queue },
      nudges: row.nudges,
      nudgedAt: row.last_nudged_at,
    }));
  }
}
