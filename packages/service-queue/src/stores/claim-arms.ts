import type { ClaimedJob } from '@bellhop/contracts';
import { PRIORITY_POINT_MS } from '../job-rank.js';
import type { CheckedQueueClaim } from '../job-store-input.js';
import { byBytes, laneRange } from '../lane.js';

// The queues of a claim, as its statements take them; and what they gave, in turn. Pure.

/** An arm as JSON. `start` is the lane after which to begin. */
export interface ClaimArm {
  readonly arm: number;
  readonly queue: string;
  readonly after: string;
  readonly upTo: string;
  readonly start: string;
  readonly wanted: number;
}

/** Claims of so many jobs at most may share a statement: SQLite looks at the lanes of each as deep as the deepest reach of all. */
const SHARED_LIMIT = 64;

/** Arms of one statement. */
export interface ArmSet {
  readonly leaseMs: number;
  readonly arms: readonly ClaimArm[];
}

/** Queues into statements: one for all that are alike enough, which is nearly always one. */
export function toArmSets(queues: readonly CheckedQueueClaim[]): ArmSet[] {
  const sets: { leaseMs: number; shared: boolean; arms: ClaimArm[] }[] = [];
  queues.forEach((claim, arm) => {
    const { queue, limit, leaseMs } = claim;
    const shared = limit <= SHARED_LIMIT;
    let set = shared ? sets.find((other) => other.shared && other.leaseMs === leaseMs) : undefined;
    if (!set) {
      set = { leaseMs, shared, arms: [] };
      sets.push(set);
    }
    const range = laneRange(claim.organizationId ?? undefined);
    set.arms.push({ arm, queue, ...range, start: startOf(claim), wanted: limit });
  });
  return sets;
}

function startOf({ organizationId, afterLane }: CheckedQueueClaim): string {
  const { after, upTo } = laneRange(organizationId ?? undefined);
  if (afterLane === null) return after;
  return byBytes(afterLane, after) > 0 && byBytes(afterLane, upTo) <= 0 ? afterLane : after;
}

/** RETURNING knows no order: queue after queue as they were asked for, each in turn over its lanes. */
export function inTurn(jobs: readonly ClaimedJob[], queues: readonly CheckedQueueClaim[]): ClaimedJob[] {
  if (jobs.length <= 1) return [...jobs];
  return queues.length === 1
    ? queueInTurn(jobs, queues[0] as CheckedQueueClaim)
    : [...groupBy(jobs, (job) => queues.findIndex((claim) => serves(claim, job))).entries()]
        .sort(([a], [b]) => a - b)
        .flatMap(([arm, ofArm]) => queueInTurn(ofArm, queues[arm] as CheckedQueueClaim));
}

function serves({ queue, organizationId }: CheckedQueueClaim, job: ClaimedJob): boolean {
  return queue === job.queue && (organizationId === null || organizationId === job.organizationId);
}

function queueInTurn(jobs: readonly ClaimedJob[], claim: CheckedQueueClaim): ClaimedJob[] {
  const lanes = [...groupBy(jobs, ({ lane }) => lane).entries()];
  for (const [, ofLane] of lanes) ofLane.sort(byRank);
  if (lanes.length === 1) return lanes[0]?.[1] ?? [];
  const start = startOf(claim);
  const around = new Map(lanes.map(([lane]) => [lane, byBytes(lane, start) <= 0]));
  lanes.sort(([a], [b]) => Number(around.get(a)) - Number(around.get(b)) || byBytes(a, b));
  const deepest = Math.max(...lanes.map(([, ofLane]) => ofLane.length));
  const turns: ClaimedJob[] = [];
  for (let place = 0; place < deepest; place += 1) {
    for (const [, ofLane] of lanes) {
      const job = ofLane[place];
      if (job) turns.push(job);
    }
  }
  return turns;
}

function byRank(a: ClaimedJob, b: ClaimedJob): number {
  return a.dueAt - b.dueAt + (a.priority - b.priority) * PRIORITY_POINT_MS || byBytes(a.id, b.id);
}

function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
