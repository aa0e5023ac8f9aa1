import { CLAIM_EXPIRED } from '@bellhop/contracts';
import type { DeliveryUnit } from './delivery-unit.js';

/**
 * Finds the delivery that ends its node (an endless loop, memory, a crash in native code) without letting it take others along.
 *
 * A claim that expired counts as an attempt, for every row that was claimed with it, whether it was being sent or only waited. With no more
 * than that, a few crashes would spend the attempts of rows that were never sent. So rows that come back from an expired claim a second
 * time are suspects: they are handed back, uncounted, and claimed again one at a time, with nothing beside them. The one that ends its node
 * again spends only its own attempts. After a single crash, which has many causes, everything goes on at full speed.
 */
export class Quarantine {
  private active = false;

  /** Claims are to be of one unit, and only while nothing is held. */
  get on(): boolean {
    return this.active;
  }

  /**
   * Decides on what was claimed.
   *
   * @param held keys of what this node works on. What is claimed again while it is being sent here has a claim that ran out, not a node that ended.
   * @param alone nothing else is held, and one unit was asked for.
   * @returns what to send, and what to hand back.
   */
  admit(
    units: readonly DeliveryUnit[],
    { held, alone }: { readonly held: ReadonlySet<string>; readonly alone: boolean },
  ): { send: readonly DeliveryUnit[]; handBack: readonly DeliveryUnit[] } {
    const suspects = units.filter((unit) => isSuspect(unit) && !held.has(unit.key));
    this.active = suspects.length > 0;
    if (suspects.length === 0 || alone) return { send: units, handBack: [] };
    return { send: units.filter((unit) => !suspects.includes(unit)), handBack: suspects };
  }
}

/** The claim at hand is counted already: two before it, of which the last expired, make a suspect. */
const SUSPECT_ATTEMPTS = 3;

function isSuspect({ rows }: DeliveryUnit): boolean {
  return rows.some(({ attempts, error }) => error === CLAIM_EXPIRED && attempts >= SUSPECT_ATTEMPTS);
}
