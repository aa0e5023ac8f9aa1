import type { BoardWakes, Statement, Store } from '@bellhop/contracts';
import { SWEEP_REASON } from './charge.js';
import { FORGET_AFTER_MS, type PairState } from './pace.js';
import { awake, forget, markQuiet } from './sql/keep-ledger.js';

/** Rows of one statement at most: what is more is left to the next sweep, and no statement is felt by anybody. */
const MAX_ROWS = 1_000;

export interface LookedAt {
  readonly endpointId: string;
  readonly queue: string;
  readonly state: PairState;
  /** Nothing of it can be claimed that a wake could name. */
  readonly empty: boolean;
  /** Somebody holds a todo of it, and may give it back: then it is not quiet. */
  readonly held: boolean;
}

interface PairJson {
  readonly endpoint_id: string;
  readonly queue: string;
}

/**
 * Keeps the ledger: pairs that ran empty are marked quiet, those that filled again begin anew, those that stayed quiet are forgotten. A row outlives
 * a moment's emptiness, so a queue that empties and fills each minute keeps its wait. No statement is run for what no sweep saw.
 */
export class LedgerKeeper {
  readonly #quiet: Statement;
  readonly #awake: Statement;
  readonly #forget: Statement;
  #found: { readonly quiet: PairJson[]; readonly filled: PairJson[]; readonly over: PairJson[] } = nothing();
  #now = 0;

  constructor(
    private readonly store: Store,
    wakes: Pick<BoardWakes, 'wakeSql'>,
  ) {
    const wakeSql: BoardWakes['wakeSql'] = (family) => wakes.wakeSql(family);
    this.#quiet = markQuiet(wakeSql);
    this.#awake = awake(wakeSql);
    this.#forget = forget(wakeSql);
  }

  /** Forgets what an earlier sweep saw. */
  begin(now: number): void {
    this.#now = now;
    this.#found = nothing();
  }

  look({ endpointId, queue, state: { quietSince }, empty, held }: LookedAt): void {
    const { quiet, filled, over } = this.#found;
    const pair = { endpoint_id: endpointId, queue };
    const note = (pairs: PairJson[]) => void (pairs.length < MAX_ROWS && pairs.push(pair));
    if (!empty) {
      if (quietSince !== null) note(filled);
    } else if (quietSince === null) {
      if (!held) note(quiet);
    } else if (quietSince <= this.#now - FORGET_AFTER_MS) note(over);
  }

  /** Writes down what was seen since `begin`: a statement for each kind of which there is some. */
  async keep(now: number): Promise<void> {
    const { quiet, filled, over } = this.#found;
    if (quiet.length > 0) await this.store.write(this.#quiet, { now, pairs: JSON.stringify(quiet) }, { global: SWEEP_REASON });
    if (over.length > 0) await this.store.write(this.#forget, { now, pairs: JSON.stringify(over) }, { global: SWEEP_REASON });
    if (filled.length > 0) await this.store.write(this.#awake, { pairs: JSON.stringify(filled) }, { global: SWEEP_REASON });
  }
}

function nothing() {
  return { quiet: [], filled: [], over: [] };
}
