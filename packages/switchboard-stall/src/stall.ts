import type {
  BoardScope,
  BoardWakes,
  IStall,
  NudgeCounts,
  SqlFamily,
  StallExplanation,
  StallState,
  Statement,
  Store,
} from '@bellhop/contracts';
import { BellhopError } from '@bellhop/kernel';
import { checkName } from '@bellhop/store';
import type { NudgeTally } from './nudge-counts.js';
import { MAX_NUDGES, type Pace, type PaceReason, pace, STALL_AFTER_MS } from './pace.js';
import { toFacts, toState } from './pair-rows.js';
import { countExhausted } from './sql/count-exhausted.js';
import { type ExplainedRow, explainPair } from './sql/explain-pair.js';

/** Milliseconds: a queue whose consumer claimed within them is healthy. */
const HEALTHY_MS = 600_000;

export interface StallPorts {
  readonly store: Store;
  readonly wakes: Pick<BoardWakes, 'hooksOn' | 'wakeSql'>;
  readonly tally: NudgeTally;
}

/** Says why a queue is quiet and when it is woken next. It reads, and changes nothing. */
export class Stall implements IStall {
  readonly #store: Store;
  readonly #wakes: StallPorts['wakes'];
  readonly #tally: NudgeTally;
  readonly #explain: Statement;
  readonly #countExhausted: Statement;

  constructor({ store, wakes, tally }: StallPorts) {
    this.#store = store;
    this.#wakes = wakes;
    this.#tally = tally;
    const wakeSql = (family: SqlFamily) => wakes.wakeSql(family);
    this.#explain = explainPair(wakeSql);
    this.#countExhausted = countExhausted(wakeSql);
  }

  async explain(idOrSlug: string, queue: string, { organizationId }: BoardScope): Promise<StallExplanation> {
    const endpoint = checkName(idOrSlug, 'endpoint');
    const params = { endpoint, queue: checkName(queue, 'queue'), organizationId, now: this.#store.clock.now() };
    const [row] = await this.#store.read<ExplainedRow>(this.#explain, params);
    if (!row) throw new BellhopError('NOT_FOUND', `There is no endpoint ${JSON.stringify(endpoint)} in this organization.`);
    return { endpointId: row.endpoint_id, queue, ...explanationOf(row, this.#wakes.hooksOn, params.now) };
  }

  counts(): readonly NudgeCounts[] {
    return this.#tally.counts();
  }

  async exhaustedPairs(): Promise<number> {
    const [row] = await this.#store.read<{ readonly pairs: number }>(this.#countExhausted, {});
    return Number(row?.pairs ?? 0);
  }
}

type Answer = Pick<StallExplanation, 'state' | 'reason' | 'nextWakeAt' | 'change'>;

function explanationOf(row: ExplainedRow, hooksOn: boolean, now: number): Answer {
  return noWakeOf(row, hooksOn) ?? pacedOf(row, now);
}

/** What keeps every wake away, the first that applies. */
function noWakeOf(row: ExplainedRow, hooksOn: boolean): Answer | null {
  if (row.state === 'revoked') {
    return never(
      'endpoint_revoked',
      'The endpoint is revoked.',
      'Vend another endpoint, `POST /v1/endpoints`; a revoked one does not come back.',
    );
  }
  if (row.live !== 1) {
    const expired = row.expires_at === null ? '' : ` at ${iso(row.expires_at)}`;
    return never(
      'endpoint_expired',
      `The endpoint has expired${expired}.`,
      'Vend another endpoint, `POST /v1/endpoints`; an expired one does not come back.',
    );
  }
  if (row.in_scope !== 1) {
    return never(
      'out_of_scope',
      `The queue is not in the endpoint's scope, which is ${namesOf(row.queues)}.`,
      'Name a queue of its scope, or vend an endpoint whose scope has it, `POST /v1/endpoints`.',
    );
  }
  if (row.claimable !== 1) {
    const assigned = row.assigned === 1 ? ' that anybody may claim: what is pending is assigned to one claimant' : '';
    return never(
      'drained',
      `Nothing is pending in the queue${assigned}.`,
      'A todo that becomes pending here wakes its consumer by itself.',
    );
  }
  if (row.oldest === null) {
    return never(
      'ungated_only',
      'No pending todo of the queue may wake anybody: none came with a verified event, or it is the quarantine.',
      'Push with an organization key, `POST /v1/endpoints/{endpoint}/todos`, or have the source sign what it sends. What is pending can be claimed all the same.',
    );
  }
  if (!hooksOn) {
    return never(
      'no_hook',
      'Notify hooks are switched off in this deployment.',
      'Allow endpoints notify hooks: the option `maxNotifyHooks` of the board is 0.',
    );
  }
  if (row.enabled_hooks === 0) {
    return row.hooks === 0
      ? never(
          'no_hook',
          'The endpoint has no notify hook.',
          'Make one, `POST /v1/endpoints/{endpoint}/notify-hooks`: nobody can be told without it.',
        )
      : never(
          'no_hook',
          `All notify hooks of the endpoint are disabled, ${row.hooks} of them.`,
          'Enable one of them, `POST /v1/endpoints/{endpoint}/notify-hooks/{id}/enable`.',
        );
  }
  if (row.covered !== 1) {
    return never(
      'hook_filtered',
      `The endpoint's enabled notify hooks, ${row.enabled_hooks} of them, are for other queues.`,
      'Make a hook for this queue, or one for all of them, `POST /v1/endpoints/{endpoint}/notify-hooks`.',
    );
  }
  return null;
}

/** Everything is there for a wake: what its turn depends on. */
function pacedOf(row: ExplainedRow, now: number): Answer {
  const paced = pace(toState(row), toFacts(row, true), now);
  const state = stateOf(paced.reason, row, now);
  const nextWakeAt = paced.nextDueAt === null ? null : Math.max(paced.nextDueAt, now);
  return { state, nextWakeAt, ...SENTENCES[state](row, paced, now) };
}

type PacedState = 'healthy' | 'too_young' | 'exhausted' | 'busy' | 'waiting' | 'due';

function stateOf(reason: PaceReason, { newest_claim_at: claimedAt }: ExplainedRow, now: number): PacedState {
  switch (reason) {
    case 'too_young':
      return claimedAt !== null && claimedAt >= now - HEALTHY_MS ? 'healthy' : 'too_young';
    case 'exhausted':
    case 'busy':
    case 'waiting':
      return reason;
    default:
      return 'due';
  }
}

/** What brings nudges again where the last was used up. */
const STARTS_AGAIN =
  'A claim in this queue that is not given back starts the nudges again; so does a notify hook of it that is made, `POST /v1/endpoints/{endpoint}/notify-hooks`, enabled or rotated, `…/{id}/enable`, `…/{id}/rotate`.';

const SENTENCES: Readonly<Record<PacedState, (row: ExplainedRow, paced: Pace, now: number) => Pick<Answer, 'reason' | 'change'>>> = {
  healthy: (row) => ({
    reason: `The oldest todo is pending since ${iso(row.oldest)}, less than ${STALL_AFTER_MS / 1000} s, and the last claim was at ${iso(row.newest_claim_at)}.`,
    change: 'Nothing needs to: the consumer is at it.',
  }),
  too_young: (row, { nextDueAt }) => ({
    reason: `The oldest todo is pending since ${iso(row.oldest)}: only after ${STALL_AFTER_MS / 1000} s is a queue taken to be stalled.`,
    change:
      nextDueAt === null
        ? `It was nudged ${MAX_NUDGES} times without a claim. ${STARTS_AGAIN}`
        : `It is nudged when it is still pending at ${iso(nextDueAt)}.`,
  }),
  exhausted: (row) => ({
    reason: `It was nudged ${MAX_NUDGES} times without a claim, last at ${iso(row.last_nudged_at)}, and gets no nudge any more.`,
    change: STARTS_AGAIN,
  }),
  busy: (row) => ({
    reason: `A consumer holds a live lease in this queue, of a claim at ${iso(row.live_claim_at)}: it is not doubled while it works.`,
    change: 'The end of its claim brings the next nudge closer, where one is owed.',
  }),
  waiting: (row) => ({
    reason: `It was nudged last at ${iso(row.last_nudged_at)}; ${sinceClaim(countOf(row))}, and each waits longer than the one before.`,
    change:
      countOf(row) === 0
        ? 'Nothing counts that a claim could reset; a notify hook of it that is enabled, rotated or made makes it due sooner.'
        : 'A claim in this queue, once it has ended, makes it due sooner; so does a notify hook of it that is enabled, rotated or made.',
  }),
  due: (row, { reason }) => ({
    reason: `The oldest todo is pending since ${iso(row.oldest)}, and ${DUE_FOR[reason] ?? 'it is its turn'}.`,
    change: 'Nothing needs to: the next sweep nudges it.',
  }),
};

const DUE_FOR: Partial<Record<PaceReason, string>> = {
  first: 'nobody was nudged of it yet',
  again: 'its wait since the last nudge is over',
  progress: 'the queue was claimed from since the last nudge, so there is somebody to come again',
  fresh_door: 'a notify hook of it was enabled, rotated or made since the last nudge',
};

/** Nudges that count: none, where the queue ran empty since. */
function countOf(row: ExplainedRow): number {
  return row.quiet_since === null ? (row.nudges ?? 0) : 0;
}

/** How many nudges went unanswered. */
function sinceClaim(nudges: number): string {
  return nudges === 1 ? '1 nudge counts since the last claim' : `${nudges} nudges count since the last claim`;
}

/** Queues that an answer names: a scope may have many, and a name may have been mistyped. */
const MOST_NAMED = 10;

/** @param queues a JSON list. */
function namesOf(queues: string): string {
  const names = JSON.parse(queues) as string[];
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  return (
    names
      .slice(0, MOST_NAMED)
      .map((name) => JSON.stringify(name))
      .join(', ') + more
  );
}

function never(state: StallState, reason: string, change: string): Answer {
  return { state, reason, nextWakeAt: null, change };
}

function iso(time: number | null): string {
  return time === null ? 'an unknown time' : new Date(time).toISOString();
}
