import assert from 'node:assert/strict';
import type { ClaimedJob, QueueClaim } from '@bellhop/contracts';
import type { JobStoreModel, ModelJob } from './job-store-model.js';

/** What was taken of a queue: whole turns over its lanes, the last one perhaps cut short, each lane from its front. */
export function checkClaimChoice(
  model: JobStoreModel,
  { queue, organizationId, limit, afterLane }: QueueClaim,
  taken: readonly ClaimedJob[],
): void {
  for (const { id, lane } of taken) {
    const job = model.find(id);
    assert.ok(job, `${id} is known`);
    assert.equal(job.lane ?? lane, lane, 'a job keeps its lane');
    for (const peer of model.jobs) if (model.isPeer(peer, job)) peer.lane = lane;
  }
  const heads = model.heads(queue, organizationId ?? null);
  const lanes = heads.map((head) => model.claimable(head));
  const waiting = lanes.reduce((sum, { length }) => sum + length, 0);
  const least = lanes.length === 1 ? Math.min(limit, waiting) : Math.min(limit, lanes.length);
  assert.ok(taken.length <= Math.min(limit, waiting), `${taken.length} jobs taken of ${waiting}, at most ${limit}`);
  assert.ok(taken.length >= least, `${taken.length} jobs taken of ${waiting}, at least ${least}`);
  // A lane that was not served is not known by its text, and there are such only where there are more lanes than the limit.
  if (lanes.length > limit && heads.some(({ lane }) => lane === null)) {
    checkFronts(lanes, taken);
    return;
  }
  const turns = inTurns(lanes, afterLane);
  assert.deepEqual(
    taken.map(({ id }) => id),
    turns.slice(0, taken.length).map(({ id }) => id),
    'the jobs taken, in turn',
  );
}

function checkFronts(lanes: readonly ModelJob[][], taken: readonly ClaimedJob[]): void {
  const fronts = lanes.map(([first]) => first?.id);
  for (const { id } of taken) assert.ok(fronts.includes(id), `${id} is the first of its lane`);
  assert.equal(new Set(taken.map(({ lane }) => lane)).size, taken.length, 'no lane twice while another waits');
}

/** One job of each lane, then the second of each, and so on; the lanes in the order of their texts, from the one after `afterLane`. */
function inTurns(lanes: readonly ModelJob[][], afterLane: string | undefined): ModelJob[] {
  const text = (lane: readonly ModelJob[]): string => lane[0]?.lane ?? '';
  const inOrder = [...lanes].sort((left, right) => Buffer.compare(Buffer.from(text(left)), Buffer.from(text(right))));
  const isAfter = (lane: readonly ModelJob[]) =>
    afterLane === undefined || Buffer.compare(Buffer.from(text(lane)), Buffer.from(afterLane)) > 0;
  const round = [...inOrder.filter(isAfter), ...inOrder.filter((lane) => !isAfter(lane))];
  const longest = Math.max(0, ...lanes.map(({ length }) => length));
  return Array.from({ length: longest }, (_, turn) => round.flatMap((lane) => lane[turn] ?? [])).flat();
}
