/** The health of a kernel: what each plugin says of itself, in bounded time, whatever its `health()` does. */
import type { Clock } from './clock.js';
import { LATE, withinDeadline } from './deadline.js';
import { errorMessage } from './errors.js';
import type { LoadedPlugin } from './loaded-plugin.js';
import type { HealthStatus, PluginHealth } from './plugin.js';

/** Milliseconds a plugin's `health()` may take before it counts as failing. */
export const HEALTH_TIMEOUT_MS = 5_000;

/** `new` until start, `failed` after a start that failed, and never back: a kernel starts once. */
export type KernelState = 'new' | 'starting' | 'ready' | 'stopping' | 'stopped' | 'failed';

export interface KernelHealth {
  /**
   * `failing` while the kernel is not ready or a plugin fails; `degraded` while a plugin is, or an optional one fails; else `ok`.
   */
  readonly status: HealthStatus;
  readonly state: KernelState;
  /** By plugin name, in start order. */
  readonly plugins: Readonly<Record<string, PluginHealth>>;
}

const STATUSES: readonly unknown[] = ['ok', 'degraded', 'failing'] satisfies HealthStatus[];

export class HealthCheck {
  /** One check per plugin at a time: a hung one is waited for again, not started again by every probe. */
  private readonly pending = new Map<LoadedPlugin, Promise<PluginHealth>>();

  constructor(
    private readonly plugins: readonly LoadedPlugin[],
    private readonly clock: Clock,
  ) {}

  async run(state: () => KernelState): Promise<KernelHealth> {
    const reports = await Promise.all(this.plugins.map(async (loaded) => ({ loaded, health: await this.of(loaded) })));
    return {
      status: state() === 'ready' ? overall(reports) : 'failing',
      state: state(),
      plugins: Object.fromEntries(reports.map(({ loaded, health }) => [loaded.name, health])),
    };
  }

  private async of(loaded: LoadedPlugin): Promise<PluginHealth> {
    if (loaded.failure) return failing(loaded.failure.message);
    if (loaded.progress === 'stopped') return failing('stopped');
    if (loaded.aborted) return failing('stopping');
    if (loaded.progress !== 'started') return failing('not started yet');
    if (!loaded.plugin.health) return { status: 'ok' };
    try {
      const health = await withinDeadline(this.clock, HEALTH_TIMEOUT_MS, this.ask(loaded));
      return health === LATE ? failing(`health() did not answer within ${HEALTH_TIMEOUT_MS} ms`) : health;
    } catch (error) {
      return failing(`health() failed: ${errorMessage(error)}`);
    }
  }

  private ask(loaded: LoadedPlugin): Promise<PluginHealth> {
    const pending = this.pending.get(loaded);
    if (pending) return pending;
    const asked = (async () => read(await loaded.plugin.health?.(loaded.context)))();
    this.pending.set(loaded, asked);
    const settled = () => void this.pending.delete(loaded);
    asked.then(settled, settled);
    return asked;
  }
}

/** Before there is anything to ask. */
export function notStarted(names: readonly string[], state: KernelState): KernelHealth {
  return { status: 'failing', state, plugins: Object.fromEntries(names.map((name) => [name, failing('not started')])) };
}

function overall(reports: readonly { loaded: LoadedPlugin; health: PluginHealth }[]): HealthStatus {
  if (reports.some(({ loaded, health }) => health.status === 'failing' && !loaded.plugin.optional)) return 'failing';
  return reports.some(({ health }) => health.status !== 'ok') ? 'degraded' : 'ok';
}

function read(health: unknown): PluginHealth {
  const { status, reason, details } = (typeof health === 'object' && health !== null ? health : {}) as PluginHealth;
  if (!STATUSES.includes(status)) {
    return failing(`health() answered status ${JSON.stringify(status) ?? 'undefined'}; allowed: ok, degraded, failing`);
  }
  const why = reason ?? (status === 'ok' ? undefined : 'no reason given');
  return { status, ...(why === undefined ? {} : { reason: why }), ...(details === undefined ? {} : { details }) };
}

function failing(reason: string): PluginHealth {
  return { status: 'failing', reason };
}
