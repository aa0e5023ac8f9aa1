import { type Child, startChild } from '@bellhop/testing';
import type { ContenderKind } from './contender.js';
import type { WorkerCommand, WorkerMessage, WorkerOrders, WorkerReport } from './worker-process.js';

type MessageOf<Type extends WorkerMessage['type']> = Extract<WorkerMessage, { type: Type }>;

/** Workers of one kind on one database, each in a process of its own. */
export class WorkerProcesses {
  readonly #children: readonly Child[];

  private constructor(children: readonly Child[]) {
    this.#children = children;
  }

  /** Resolves when all of them have their connections open. */
  static async start(kind: ContenderKind, url: string, count: number, report: WorkerOrders['report']): Promise<WorkerProcesses> {
    const orders: WorkerOrders = { product: kind.product, setting: kind.setting, url, report };
    const file = new URL('./worker-process.ts', import.meta.url);
    const started = new WorkerProcesses(Array.from({ length: count }, () => startChild(file, { args: [JSON.stringify(orders)] })));
    await started.#each((child) => next(child, 'ready'));
    return started;
  }

  begin(): void {
    this.#command('work');
  }

  /** Resolves when all of them take jobs. */
  async working(): Promise<void> {
    await this.#each((child) => next(child, 'working'));
  }

  /** The next of the messages of that type from each child, as they come. */
  listen<Type extends 'count' | 'start'>(type: Type, listener: (message: MessageOf<Type>, child: number) => void): void {
    for (const [place, child] of this.#children.entries()) {
      const hear = async (): Promise<void> => {
        for (;;) listener(await next(child, type), place);
      };
      // A child that has ended says no more.
      hear().catch(() => {});
    }
  }

  /** Ends their work and them. */
  async stop(): Promise<WorkerReport[]> {
    this.#command('stop');
    const reports = await this.#each((child) => next(child, 'report'));
    await this.#each((child) => child.exited);
    return reports.map(({ report }) => report);
  }

  /** Ends them whatever they do. Safe after `stop`. */
  async kill(): Promise<void> {
    await this.#each((child) => child.kill());
  }

  #command(command: WorkerCommand): void {
    for (const child of this.#children) child.send(command);
  }

  #each<Result>(act: (child: Child) => Promise<Result>): Promise<Result[]> {
    return Promise.all(this.#children.map(act));
  }
}

function next<Type extends WorkerMessage['type']>(child: Child, type: Type): Promise<MessageOf<Type>> {
  return child.message<MessageOf<Type>>((message) => (message as WorkerMessage).type === type);
}
