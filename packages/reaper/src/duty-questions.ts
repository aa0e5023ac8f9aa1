import type { SqlReaperDuty, Statement, Store } from '@bellhop/contracts';

/** Asks which duties have work: one statement for any number of them. */
export class DutyQuestions {
  /** Stores prepare by identity, and the same duties are asked each time. */
  readonly #statements = new Map<string, Statement>();

  constructor(private readonly store: Pick<Store, 'read'>) {}

  /** @returns those that have work. Without duties nothing is asked. */
  async ask<Duty extends SqlReaperDuty>(duties: readonly Duty[], now: number): Promise<ReadonlySet<Duty>> {
    if (duties.length === 0) return new Set();
    const [row] = await this.store.read<Record<string, unknown>>(this.#statementFor(duties), { now });
    return new Set(duties.filter((_, place) => Number(row?.[column(place)]) > 0));
  }

  #statementFor(duties: readonly SqlReaperDuty[]): Statement {
    const key = JSON.stringify(duties.map(({ name }) => name));
    let statement = this.#statements.get(key);
    if (!statement) {
      const sql = `SELECT ${duties.map(({ question }, place) => `(${question}) AS ${column(place)}`).join(', ')}`;
      statement = { label: 'reaper.ask', operation: 'select', table: 'all that duties ask about', sql: { sqlite: sql, postgres: sql } };
      this.#statements.set(key, statement);
    }
    return statement;
  }
}

const column = (place: number) => `d${place}`;
