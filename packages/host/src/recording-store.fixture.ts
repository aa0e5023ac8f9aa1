/** A store that tells the writes that go through it, and takes the tenancy context away from one of them on its way to the store. */
import type { BatchStep, Operation, Statement, Store } from '@bellhop/contracts';

export interface RecordedWrite {
  readonly statement: Statement;
  readonly operation: Operation;
  readonly table: string;
}

export interface RecordingStore {
  readonly store: Store;
  /** Every write since it was made, the steps of batches each for itself. */
  readonly writes: readonly RecordedWrite[];
}

/** @param taken the write that loses its context, counted from 0; none unless given. */
export function recordingStore(inner: Store, taken?: number): RecordingStore {
  const writes: RecordedWrite[] = [];
  /** Whether the write goes without its context. Reads are none. */
  const record = (statement: Statement): boolean => {
    const { operation, table } = statement;
    return operation !== 'select' && writes.push({ statement, operation, table }) - 1 === taken;
  };
  const bare = ({ statement, params }: BatchStep): BatchStep => ({ statement, params });
  const over: Pick<Store, 'write' | 'batch'> = {
    write: (statement, params, scope, options) => inner.write(statement, params, record(statement) ? undefined : scope, options),
    batch: (steps, options) =>
      inner.batch(
        steps.map((step) => (record(step.statement) ? bare(step) : step)),
        options,
      ),
  };
  const store = new Proxy(inner, {
    get(target, key) {
      if (key === 'write' || key === 'batch') return over[key];
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' && key !== 'knex' ? value.bind(target) : value;
    },
  });
  return { store, writes };
}
