import type { Kernel } from '@bellhop/kernel';
import { REAPER } from '@bellhop/reaper';
import { Counter, Gauge, type Registry } from 'prom-client';
import { resolveBound } from './resolve-bound.js';

/** Shows what the duties of the kernel's reaper did. A scrape costs no statement. */
export function registerReaperMetrics(registry: Registry, kernel: Kernel): void {
  const reaper = resolveBound(kernel, REAPER);
  if (!reaper) return;
  const registers = [registry];
  new Counter({
    name: 'bellhop_reaper_runs_total',
    help: 'Runs of a duty by what came of them. late: its time was up, and it was left behind.',
    labelNames: ['duty', 'outcome'],
    registers,
    collect() {
      this.reset();
      for (const { duty, done, failed, late } of reaper.dutyCounters()) {
        this.inc({ duty, outcome: 'done' }, done);
        this.inc({ duty, outcome: 'failed' }, failed);
        this.inc({ duty, outcome: 'late' }, late);
      }
    },
  });
  new Counter({
    name: 'bellhop_reaper_done_total',
    help: 'How much a duty did: rows swept, mostly.',
    labelNames: ['duty'],
    registers,
    collect() {
      this.reset();
      for (const { duty, count } of reaper.dutyCounters()) this.inc({ duty }, count);
    },
  });
  new Gauge({
    name: 'bellhop_reaper_running',
    help: '1 while a duty runs.',
    labelNames: ['duty'],
    registers,
    collect() {
      for (const { duty, running } of reaper.dutyCounters()) this.set({ duty }, Number(running));
    },
  });
}
