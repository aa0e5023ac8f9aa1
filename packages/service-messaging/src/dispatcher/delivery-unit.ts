import type { AckOutcome, AckResult, ClaimedDelivery, INotificationOutbox } from '@bellhop/contracts';
import type { PoolAck } from '@bellhop/loop';

/** What is sent in one go: a row, or all rows of a digest group. It is claimed, renewed, acked and released as one. */
export interface DeliveryUnit {
  /** The same when the same work is claimed again. */
  readonly key: string;
  readonly channel: string;
  /** At least one. */
  readonly rows: readonly ClaimedDelivery[];
  readonly digest: boolean;
  /** Rows whose outcome is written: where rows are acked one by one, a retry goes on from there. */
  readonly written: Map<string, AckOutcome>;
}

/** What an attempt came to. */
export interface AttemptOutcome {
  readonly result: AckResult;
  readonly durationMs: number;
}

export function singleUnit(row: ClaimedDelivery): DeliveryUnit {
  return { key: row.id, channel: row.channel, rows: [row], digest: false, written: new Map() };
}

/** One unit per digest group, in the order in which the groups first appear. */
export function digestUnits(rows: readonly ClaimedDelivery[]): DeliveryUnit[] {
  const groups = new Map<string, ClaimedDelivery[]>();
  for (const row of rows) {
    // An outbox from before groups were named hands out whole keys.
    const key = JSON.stringify([row.organizationId, row.digestKey, row.digestGroup ?? null]);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return [...groups].map(([key, group]) => ({
    key,
    channel: (group[0] as ClaimedDelivery).channel,
    rows: group,
    digest: true,
    written: new Map(),
  }));
}

export type UnitAck = PoolAck<DeliveryUnit, AttemptOutcome>;

/** Writes the outcomes of whole units: in one call where the outbox can, row by row where it cannot. A unit is lost when all of its rows are. */
export async function ackUnits(outbox: INotificationOutbox, batch: readonly UnitAck[]): Promise<AckOutcome[]> {
  const acks = batch.flatMap(({ claim, outcome }) =>
    claim.rows.filter(({ id }) => !claim.written.has(id)).map((row) => ({ unit: claim, claim: row, result: outcome.result })),
  );
  if (outbox.ackMany) {
    const outcomes = await outbox.ackMany(acks.map(({ claim, result }) => ({ claim, result })));
    acks.forEach(({ unit, claim }, index) => void unit.written.set(claim.id, outcomes[index] ?? 'acked'));
  } else {
    // An older outbox's void reads as acked.
    for (const { unit, claim, result } of acks) unit.written.set(claim.id, (await outbox.ack(claim, result)) ?? 'acked');
  }
  return batch.map(({ claim }) => ([...claim.written.values()].every((outcome) => outcome === 'lost') ? 'lost' : 'acked'));
}

/** Renews every row of every unit in one call. A unit is lost when any of its rows is: it can no longer be sent as what it was claimed as. */
export async function renewUnits(
  renew: NonNullable<INotificationOutbox['renew']>,
  units: readonly DeliveryUnit[],
  claimTtlMs: number,
): Promise<AckOutcome[]> {
  const outcomes = await renew(
    units.flatMap(({ rows }) => rows),
    claimTtlMs,
  );
  let at = 0;
  return units.map(({ rows }) => {
    const own = outcomes.slice(at, at + rows.length);
    at += rows.length;
    return own.includes('lost') ? 'lost' : 'acked';
  });
}
