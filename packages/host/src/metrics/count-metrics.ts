import { Counter, Gauge, type Registry } from 'prom-client';

/** By the field that holds the count: the metric's name and what it says. */
type Named<Field extends string> = Readonly<Record<Field, readonly [name: string, help: string]>>;

export interface CountMetrics<CounterField extends string, GaugeField extends string> {
  readonly labels: Readonly<Record<string, string>>;
  /** Read at each scrape. */
  readonly read: () => Readonly<Record<NoInfer<CounterField | GaugeField>, number>>;
  readonly counters: Named<CounterField>;
  readonly gauges: Named<GaugeField>;
}

/** Shows counts that something keeps by itself, under names of its own. A scrape costs no statement. */
export function registerCounts<CounterField extends string, GaugeField extends string>(
  registry: Registry,
  { labels, read, counters, gauges }: CountMetrics<CounterField, GaugeField>,
): void {
  const common = { labelNames: Object.keys(labels), registers: [registry] };
  for (const [field, [name, help]] of Object.entries(counters) as [CounterField, readonly [string, string]][]) {
    new Counter({
      ...common,
      name,
      help,
      collect() {
        this.reset();
        this.inc(labels, read()[field]);
      },
    });
  }
  for (const [field, [name, help]] of Object.entries(gauges) as [GaugeField, readonly [string, string]][]) {
    new Gauge({
      ...common,
      name,
      help,
      collect() {
        this.set(labels, read()[field]);
      },
    });
  }
}
