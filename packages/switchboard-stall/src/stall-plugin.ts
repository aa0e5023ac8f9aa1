import { BOARD_WAKES, type MigratingPlugin, REAPER_DUTY, STALL, STORE } from '@bellhop/contracts';
import { parseOptions } from '@bellhop/kernel';
import { z } from 'zod';
import { stallMigrations } from './migrations/stall-migrations.js';
import { NudgeTally } from './nudge-counts.js';
import { NudgeOutcomes } from './nudge-outcomes.js';
import { Stall } from './stall.js';
import { stallDuty } from './stall-duty.js';
import { StallSweep } from './stall-sweep.js';

/** There is nothing to set: pacing that every operator has to understand first would be the wrong one. */
const optionsSchema = z.strictObject({});

/**
 * The plugin `switchboard-stall`: adds the duty `stall.nudge`, which wakes consumers of queues that hold claimable work nobody claims, and binds
 * `STALL`. Without a reaper in the deployment nobody is nudged.
 *
 * @throws BellhopError `PLUGIN_OPTIONS` at once: there are no options.
 */
export function stallPlugin(given: Readonly<Record<string, never>> = {}): MigratingPlugin {
  parseOptions('switchboard-stall', optionsSchema, given);
  let sweep: StallSweep | undefined;
  let stall: Stall | undefined;
  let outcomes: NudgeOutcomes | undefined;
  return {
    name: 'switchboard-stall',
    requires: ['store', 'switchboard'],
    after: ['reaper'],
    migrations: [stallMigrations],
    init({ container }) {
      container.add(
        REAPER_DUTY,
        stallDuty(() => sweep),
      );
      container.bindFactory(STALL, () => {
        if (stall) return stall;
        throw new Error('STALL is there once switchboard-stall has started: put "switchboard-stall" into `requires`.');
      });
    },
    async start({ container, logger }) {
      const store = container.resolve(STORE);
      await store.migrate(stallMigrations);
      const wakes = container.resolve(BOARD_WAKES);
      const tally = new NudgeTally(logger);
      outcomes = new NudgeOutcomes(store, tally, logger);
      // Until the board itself stops: what its stop drops was accepted by nobody, and is taken back.
      wakes.onWakeOutcome(outcomes.note);
      stall = new Stall({ store, wakes, tally });
      sweep = new StallSweep({ store, wakes, tally });
    },
    async stop() {
      sweep = undefined;
      await outcomes?.settled();
    },
    health: () => (sweep ? { status: 'ok' } : { status: 'failing', reason: 'not started' }),
  };
}
