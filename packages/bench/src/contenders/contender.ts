import type { TestStoreName } from '@bellhop/testing';

/** The data of every job: as small as a real one, and the same for all. */
export interface JobData {
  /** Which job it is: 0, 1, 2 … in the order of publishing. */
  readonly n: number;
  readonly to: string;
}

/** A worker at work. */
export interface Work {
  /** Claims no more, and waits until what runs is done and noted. */
  stop(): Promise<void>;
}

/** One product with one of its settings, on one database. All jobs go to one queue. */
export interface Contender {
  /** @param options.runAt epoch milliseconds at which it is due; default at once. */
  publish(job: JobData, options?: { readonly runAt?: number }): Promise<void>;
  /** All in one call of the product's. */
  publishMany(jobs: readonly JobData[]): Promise<void>;
  /** Resolves when the worker is ready to take jobs. */
  work(handler: (job: JobData) => void): Promise<Work>;
  /** Jobs in the database that have not been completed. */
  unfinished(): Promise<number>;
  /** What its connection says of how a commit is kept, by the database's own names. */
  durability(): Promise<Readonly<Record<string, string>>>;
  close(): Promise<void>;
}

/** What a setting can make a difference to. */
export type Aspect = 'publish' | 'drain' | 'wait';

export interface ContenderKind {
  readonly product: string;
  /** Unique within the product. `defaults`: as it comes. */
  readonly setting: string;
  readonly stores: readonly TestStoreName[];
  /** The settings by the product's own names. */
  readonly shown: Readonly<Record<string, unknown>>;
  /** What the setting changes. A workload leaves out a kind that would only repeat the defaults. */
  readonly affects: readonly Aspect[];
  /** Milliseconds it may sleep between two looks at the database; 0: it is woken. Jobs that are to meet it idle come at random within them. */
  readonly pollMs: number;
  /** @param url the database: empty, or opened before by the same kind. @throws Error that says how to install a product that is not there. */
  open(url: string): Promise<Contender>;
}

export function jobData(n: number): JobData {
  return { n, to: 'ada@example.com' };
}

export function nameOf({ product, setting }: Pick<ContenderKind, 'product' | 'setting'>): string {
  return `${product}, ${setting}`;
}
