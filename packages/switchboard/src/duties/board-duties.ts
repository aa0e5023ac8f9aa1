import type { ReaperDuty } from '@bellhop/contracts';
import { inBatches, SWEEP_BATCH } from '@bellhop/reaper';
import type { BoardAnnouncements, MovedTodo } from '../board-announcements.js';
import type { Doorbell } from '../doorbell/doorbell.js';
import { oldQuarantined } from '../sql/quarantined-todos.js';
import { dueRetry, lapsedLease } from '../sql/requeue-todos.js';
import { oldEvent, oldTodo } from '../sql/sweep-board.js';
import { EndpointStore } from '../stores/endpoint-store.js';
import { NotifyHookStore } from '../stores/notify-hook-store.js';
import type { TodoSweeps } from '../stores/todo-sweeps.js';

// What the board does on the reaper's tick, each duty by itself and in this order: leases before retries before rings, endpoints expire before anything
// is woken for them. All ask in the one statement that the reaper asks anyway.

export interface BoardDutyPorts {
  readonly sweeps: TodoSweeps;
  readonly endpoints: EndpointStore;
  readonly hooks: NotifyHookStore;
  readonly announcements: BoardAnnouncements;
  readonly doorbell: Doorbell;
}

/** Milliseconds that things are kept. */
export interface BoardRetention {
  readonly eventsMs: number;
  /** Finished todos and dead letters. */
  readonly todosMs: number;
}

const NOW = 'CAST(:now AS BIGINT)';

/** Endpoints of one statement: each takes its todos along. */
const EXPIRY_BATCH = 100;

export function boardDuties(keep: BoardRetention, ports: () => BoardDutyPorts): ReaperDuty[] {
  return [
    {
      name: 'board.leases',
      order: 10,
      doneMessage: 'lapsed leases are returned',
      question: lapsedLease(NOW),
      run({ signal }) {
        const { sweeps, announcements } = ports();
        return requeue(signal, announcements, (limit) => sweeps.reap(limit));
      },
    },
    {
      name: 'board.retries',
      order: 20,
      doneMessage: 'due retries are pending again',
      question: dueRetry(NOW),
      run({ signal }) {
        const { sweeps, announcements } = ports();
        return requeue(signal, announcements, (limit) => sweeps.requeueDue(limit));
      },
    },
    {
      name: 'board.doorbell',
      order: 30,
      doneMessage: 'waiting todos were rung again',
      // Nobody at the door of this process: nothing is read.
      hasWork: () => ports().doorbell.hasSessions,
      async run() {
        const { doorbell } = ports();
        // Those that another process revoked, or whose time is over, ring no more.
        await doorbell.closeEnded();
        return doorbell.sweep();
      },
    },
    {
      name: 'board.expiry',
      order: 40,
      doneMessage: 'endpoints have expired',
      question: EndpointStore.hasExpired,
      run({ signal }) {
        const { endpoints, doorbell } = ports();
        return inBatches(
          signal,
          async () => {
            const expired = await endpoints.expire(EXPIRY_BATCH);
            for (const { id } of expired) doorbell.closeEndpoint(id);
            return expired.length;
          },
          async () => false,
          { batch: EXPIRY_BATCH },
        );
      },
    },
    {
      name: 'board.hook-secrets',
      order: 50,
      question: NotifyHookStore.oldSecretsQuestion,
      run: () => ports().hooks.destroyOldSecrets(),
    },
    ...retentionDuties(keep, ports),
  ];
}

function retentionDuties({ eventsMs, todosMs }: BoardRetention, ports: () => BoardDutyPorts): ReaperDuty[] {
  const sqlBefore = (ms: number) => `${NOW} - ${ms}`;
  const before = (now: number, ms: number) => Math.max(0, now - ms);
  const sweep = (signal: AbortSignal, some: () => Promise<number>) => inBatches(signal, some, async () => false);
  return [
    {
      name: 'board.todo-retention',
      order: 110,
      question: oldTodo(sqlBefore(todosMs)),
      run: ({ now, signal }) => sweep(signal, () => ports().sweeps.sweepTodos(before(now, todosMs), SWEEP_BATCH)),
    },
    {
      name: 'board.event-retention',
      order: 111,
      question: oldEvent(sqlBefore(eventsMs)),
      run: ({ now, signal }) => sweep(signal, () => ports().sweeps.sweepEvents(before(now, eventsMs), SWEEP_BATCH)),
    },
    {
      name: 'board.quarantine-expiry',
      order: 112,
      doneMessage: 'todos in quarantine have expired',
      question: oldQuarantined(sqlBefore(eventsMs)),
      run: ({ now, signal }) => sweep(signal, () => ports().sweeps.expireQuarantined(before(now, eventsMs), SWEEP_BATCH)),
    },
  ];
}

/** Batch by batch, each told of after its commit. @returns rows. */
function requeue(signal: AbortSignal, announcements: BoardAnnouncements, move: (limit: number) => Promise<MovedTodo[]>): Promise<number> {
  return inBatches(
    signal,
    async () => {
      const moved = await move(SWEEP_BATCH);
      announcements.announce(moved, 'requeued');
      return moved.length;
    },
    async () => false,
  );
}
