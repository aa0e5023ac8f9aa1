import type { BatchJobHandler, JobHandler, SubscribeOptions, Subscription } from '@bellhop/contracts';
import type { QueueWorker } from './worker/queue-worker.js';

/** A subscription from before there was a worker to serve it: kept, and handed over. */
export class KeptSubscription implements Subscription {
  private served: Subscription | null = null;
  private ended = false;

  constructor(
    readonly queue: string,
    private readonly handler: JobHandler | BatchJobHandler,
    private readonly options: (SubscribeOptions & { readonly batch?: number }) | undefined,
    private readonly onEnd: (kept: KeptSubscription) => void,
  ) {}

  handOver(worker: QueueWorker): void {
    if (!this.ended) this.served ??= worker.subscribe(this.queue, this.handler, this.options);
  }

  async unsubscribe(): Promise<void> {
    this.ended = true;
    this.onEnd(this);
    await this.served?.unsubscribe();
  }
}
