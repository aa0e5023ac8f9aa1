import { ManualClock, TEST_STORE_NAMES } from '@bellhop/testing';
import { table } from '../report/benchmarks-page.js';
import type { Excess, Workload } from '../workload.js';
import { messagingOperations } from './budgets/messaging-operations.js';
import type { Cost } from './budgets/operation.js';
import { queueOperations } from './budgets/queue-operations.js';

const OPERATIONS = [...messagingOperations, ...queueOperations];

/** What each operation costs its database, in statements, transactions and exchanges: counted, never timed. */
export const budgets: Workload = {
  name: 'budgets',
  description: 'statements, transactions and round trips of each operation, on every store',
  options: [],
  peers: false,
  defaultStores: TEST_STORE_NAMES,
  async run({ stores, quick, database }) {
    if (quick) throw new RangeError('--quick: this workload counts single operations and has no shorter form.');
    const json: Record<string, Record<string, Cost>> = {};
    const excesses: Excess[] = [];
    for (const name of stores) {
      const costs: Record<string, Cost> = {};
      for (const [operation, { measure, limits }] of OPERATIONS) {
        const clock = new ManualClock();
        const cost = await measure(await (await database(name)).open({ clock }), clock);
        costs[operation] = cost;
        for (const [what, limit] of Object.entries(limits(name))) {
          const measured = cost[what as keyof Cost];
          if (measured > limit) excesses.push({ what: `${name}.${operation}.${what}`, measured, limit });
        }
      }
      json[name] = costs;
    }
    return { json, excesses };
  },
  report(results) {
    const costs = Object.assign({}, ...results.map(({ result }) => result)) as Record<string, Record<string, Cost>>;
    const cell = (cost: Cost | undefined) => (cost ? `${cost.statements} / ${cost.transactions} / ${cost.roundTrips}` : '');
    // One row for each operation: there are more of them than stores.
    const stores = Object.keys(costs);
    const rows = OPERATIONS.map(([operation]) => [operation, ...stores.map((store) => cell(costs[store]?.[operation]))]);
    return { markdown: `Statements / transactions / round trips.\n\n${table(['operation', ...stores], rows)}`, charts: [] };
  },
};
