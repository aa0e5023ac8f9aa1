import { OrderedSet } from '@bellhop/store';
import { byBytes, type LaneRange } from '../lane.js';

/** A pending job where it waits. */
export interface WaitingJob {
  readonly id: string;
  readonly lane: string;
  readonly rankAt: number;
  /** Jobs of the lane that may run at once; null: no limit. */
  readonly groupConcurrency: number | null;
}

interface Lane {
  readonly free: OrderedSet<WaitingJob>;
  readonly capped: OrderedSet<WaitingJob>;
  /** Running jobs with a cap. */
  held: number;
}

/**
 * The pending jobs of one queue by lane, and which lanes have one that may be claimed: a claim visits those alone, so neither a backlog nor
 * a thousand groups at their cap cost it anything.
 *
 * Invariant: `#ready` holds exactly the lanes that would give a job.
 */
export class MemoryLanes {
  readonly #lanes = new Map<string, Lane>();
  readonly #ready = new OrderedSet<string>(byBytes);

  /** No job waits, and none with a cap runs. */
  get isEmpty(): boolean {
    return this.#lanes.size === 0;
  }

  add(job: WaitingJob): void {
    this.#change(job.lane, (lane) => waiting(lane, job).add(job));
  }

  remove(job: WaitingJob): void {
    this.#change(job.lane, (lane) => waiting(lane, job).delete(job));
  }

  /** A job with a cap runs. */
  hold(lane: string): void {
    this.#change(lane, (of) => {
      of.held += 1;
    });
  }

  letGo(lane: string): void {
    this.#change(lane, (of) => {
      of.held -= 1;
    });
  }

  /** Whether a claim would be given something. */
  isReady(range: LaneRange): boolean {
    return !this.#readyIn(range).next().done;
  }

  /** The first `limit` jobs of a claim: one of each lane in turn, from the one after `afterLane`, until nothing is left. Takes none. */
  inTurn(limit: number, range: LaneRange, afterLane: string | null): WaitingJob[] {
    let turns = this.#lanesInTurn(limit, range, afterLane ?? range.after).map((lane) => claimable(this.#lanes.get(lane) as Lane));
    const jobs: WaitingJob[] = [];
    while (turns.length > 0 && jobs.length < limit) {
      turns = turns.filter((turn) => {
        if (jobs.length === limit) return false;
        const { value, done } = turn.next();
        if (!done) jobs.push(value);
        return !done;
      });
    }
    return jobs;
  }

  /** No more lanes than the limit: each of them gives a job. */
  #lanesInTurn(limit: number, { after, upTo }: LaneRange, start: string): string[] {
    const lanes: string[] = [];
    const ahead = { after: later(start, after), upTo };
    const around = { after, upTo: earlier(start, upTo) };
    for (const range of [ahead, around]) {
      for (const lane of this.#readyIn(range)) {
        if (lanes.length === limit) return lanes;
        lanes.push(lane);
      }
    }
    return lanes;
  }

  *#readyIn({ after, upTo }: LaneRange): Generator<string> {
    for (const lane of this.#ready.values((other) => byBytes(other, after) <= 0)) {
      if (byBytes(lane, upTo) > 0) return;
      yield lane;
    }
  }

  #change(name: string, change: (lane: Lane) => void): void {
    const lane = this.#lanes.get(name) ?? { free: new OrderedSet(byRank), capped: new OrderedSet(byRank), held: 0 };
    change(lane);
    const isEmpty = lane.free.size === 0 && lane.capped.size === 0 && lane.held === 0;
    if (isEmpty) this.#lanes.delete(name);
    else this.#lanes.set(name, lane);
    if (claimable(lane).next().done) this.#ready.delete(name);
    else this.#ready.add(name);
  }
}

/** The jobs of a lane that may be claimed, in order. Those with a cap end where the first has no room: none behind it overtakes it. */
function* claimable({ free, capped, held }: Lane): Generator<WaitingJob> {
  const left = free.values();
  const right = capped.values();
  let taken = 0;
  const nextCapped = (): WaitingJob | undefined => {
    const { value, done } = right.next();
    return done || held + taken >= (value.groupConcurrency as number) ? undefined : value;
  };
  let [one, other] = [left.next().value, nextCapped()];
  while (one || other) {
    if (one && (!other || byRank(one, other) < 0)) {
      yield one;
      one = left.next().value;
    } else {
      yield other as WaitingJob;
      taken += 1;
      other = nextCapped();
    }
  }
}

function later(left: string, right: string): string {
  return byBytes(left, right) > 0 ? left : right;
}

function earlier(left: string, right: string): string {
  return byBytes(left, right) < 0 ? left : right;
}

function waiting(lane: Lane, job: WaitingJob): OrderedSet<WaitingJob> {
  return job.groupConcurrency === null ? lane.free : lane.capped;
}

function byRank(left: WaitingJob, right: WaitingJob): number {
  return left.rankAt - right.rankAt || byBytes(left.id, right.id);
}
