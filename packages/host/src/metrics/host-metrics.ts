import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';

/** What `/metrics` shows. A registry of its own: two hosts in one process count apart. */
export class HostMetrics {
  readonly registry = new Registry();
  readonly #requests: Counter;
  readonly #durations: Histogram;

  constructor() {
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry });
    this.#requests = new Counter({
      name: 'bellhop_http_requests_total',
      help: 'Requests answered.',
      labelNames: ['method', 'route', 'status'],
      registers,
    });
    this.#durations = new Histogram({
      name: 'bellhop_http_request_duration_seconds',
      help: 'Time from a request to its answer.',
      labelNames: ['method', 'route'],
      buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10],
      registers,
    });
  }

  /** @param route the route's pattern, never the path: paths hold ids, and each would be a time series. */
  countRequest(method: string, route: string, status: number, seconds: number): void {
    this.#requests.inc({ method, route, status });
    this.#durations.observe({ method, route }, seconds);
  }
}
