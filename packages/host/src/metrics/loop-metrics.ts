import type { Kernel } from '@bellhop/kernel';
import type { LoopCounters } from '@bellhop/loop';
import { REAPER } from '@bellhop/reaper';
import { NOTIFICATION_DISPATCHER } from '@bellhop/service-messaging';
import { QUEUE_WORKER } from '@bellhop/service-queue';
import { Counter, Gauge, type Registry } from 'prom-client';
import { resolveBound } from './resolve-bound.js';

const COUNTERS = {
  ticks: ['bellhop_loop_ticks_total', 'Passes of the loop.'],
  wakes: ['bellhop_loop_wakes_total', 'Times work was announced to the loop.'],
  coalescedWakes: ['bellhop_loop_coalesced_wakes_total', 'Wakes that one tick answered together with an earlier one.'],
  errors: ['bellhop_loop_errors_total', 'Ticks, and parts of ticks, that failed.'],
} as const;

/** Shows the loops that run in the kernel, each under its name. A scrape costs no statement. */
export function registerLoopMetrics(registry: Registry, kernel: Kernel): void {
  const loops = Object.entries({
    notifications: resolveBound(kernel, NOTIFICATION_DISPATCHER),
    queue: resolveBound(kernel, QUEUE_WORKER),
    reaper: resolveBound(kernel, REAPER),
  }).flatMap(([loop, runs]) => (runs ? [{ loop, counters: (): LoopCounters => runs.counters() }] : []));
  const registers = [registry];
  for (const [counter, [name, help]] of Object.entries(COUNTERS) as [keyof typeof COUNTERS, readonly [string, string]][]) {
    new Counter({
      name,
      help,
      labelNames: ['loop'],
      registers,
      collect() {
        this.reset();
        for (const { loop, counters } of loops) this.inc({ loop }, counters()[counter]);
      },
    });
  }
  new Gauge({
    name: 'bellhop_loop_idle_level',
    help: 'Ticks in a row that found nothing.',
    labelNames: ['loop'],
    registers,
    collect() {
      for (const { loop, counters } of loops) this.set({ loop }, counters().idleLevel);
    },
  });
  new Gauge({
    name: 'bellhop_loop_lateness_seconds',
    help: 'Claim time minus due time: of the last tick that claimed, and the most there was.',
    labelNames: ['loop', 'of'],
    registers,
    collect() {
      for (const { loop, counters } of loops) {
        const { lateness } = counters();
        if (!lateness) continue;
        this.set({ loop, of: 'last' }, lateness.lastMs / 1_000);
        this.set({ loop, of: 'max' }, lateness.maxMs / 1_000);
      }
    },
  });
}
