import type { Transaction } from '@bellhop/contracts';

/**
 * Calls `fn` once the root of `trx` has committed. Each level must end well: a nested transaction's release is not a commit, and one that
 * was rolled back takes its own calls with it while the root may still commit.
 */
export function afterCommit(trx: Transaction, fn: () => void): void {
  const levels: Promise<unknown>[] = [];
  for (let level: Transaction | undefined = trx; level; level = level.parentTransaction) {
    levels.push(committed(level));
  }
  // A rollback is the transaction's own error to report; here it only means that nothing happened.
  void Promise.all(levels).then(fn, () => {});
}

class RolledBack extends Error {}

/** knex resolves the promise of a transaction that was rolled back without an error, so the ending has to be watched at its source. */
function committed(trx: Transaction): Promise<void> {
  const known = endings.get(trx);
  if (known) return known;
  let rolledBack = false;
  const rollback = trx.rollback.bind(trx);
  trx.rollback = ((error?: unknown) => {
    rolledBack = true;
    return rollback(error);
  }) as Transaction['rollback'];
  const ending = trx.executionPromise.then(() => {
    if (rolledBack) throw new RolledBack();
  });
  ending.catch(() => {});
  endings.set(trx, ending);
  return ending;
}

const endings = new WeakMap<Transaction, Promise<void>>();
