import type { TestDatabase, TestStoreName } from '@bellhop/testing';
import type { StoredResult } from './results.js';

/** What every workload is asked with. */
export interface WorkloadSettings {
  /** The stores to run on. */
  readonly stores: readonly TestStoreName[];
  /** A shorter run: to see that it works, not to quote. */
  readonly quick: boolean;
  /** Whom to run in turn with ours: a product, `best` for all of the store, or `none`. */
  readonly peer: string;
  /** Options of the workload's own, as given on the command line. */
  readonly options: Readonly<Record<string, string | undefined>>;
  /** An empty database. The runner drops it after the run, if the workload has not. */
  database(store: TestStoreName): Promise<TestDatabase>;
}

export interface WorkloadOption {
  /** As commander reads it: `--partitions <n>`. */
  readonly flags: string;
  readonly description: string;
  /** Absent: it is not given. */
  readonly default?: string;
}

/** A measured number over its limit. */
export interface Excess {
  readonly what: string;
  readonly measured: number;
  readonly limit: number;
}

export interface WorkloadResult {
  /** The object printed last with `--json`. */
  readonly json: Readonly<Record<string, unknown>>;
  /** Counts that broke their budget: they make the exit code 1. Times never do. */
  readonly excesses: readonly Excess[];
}

/** A benchmark: one file in `workloads/`. */
export interface Workload {
  readonly name: string;
  readonly description: string;
  readonly options: readonly WorkloadOption[];
  /** Whether other products can do it, too. One that counts statements has none. */
  readonly peers: boolean;
  /** Without `--store`. */
  readonly defaultStores: readonly TestStoreName[];
  run(settings: WorkloadSettings): Promise<WorkloadResult>;
  /** Its section of the benchmarks page, from the newest run of each of its settings. */
  report(results: readonly StoredResult[]): WorkloadReport;
}

export interface WorkloadReport {
  readonly markdown: string;
  readonly charts: readonly { readonly name: string; readonly alt: string; readonly svg: string }[];
}
