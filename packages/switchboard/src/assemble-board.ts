import type { BoardWakes, IBoard, Store } from '@bellhop/contracts';
import { type Clock, type Logger, type Random, silentLogger, systemClock, systemRandom } from '@bellhop/kernel';
import { OutboundClient, OutboundGuard, type OutboundPolicy, SecretSealer } from '@bellhop/outbound';
import { Board } from './board.js';
import { BoardAnnouncements, TODO_READY_TOPIC } from './board-announcements.js';
import { Doorbell } from './doorbell/doorbell.js';
import type { BoardDutyPorts } from './duties/board-duties.js';
import { AddressLimit } from './inbound/address-limit.js';
import { Ingest } from './inbound/ingest.js';
import { NotifyDispatcher } from './notify/notify-dispatcher.js';
import { ReadyEdges } from './ready-edges.js';
import { wakeSql } from './sql/wake-sql.js';
import { EndpointStore } from './stores/endpoint-store.js';
import { NotifyHookStore } from './stores/notify-hook-store.js';
import { OperatorTodoStore } from './stores/operator-todo-store.js';
import { TodoStore } from './stores/todo-store.js';
import { TodoSweeps } from './stores/todo-sweeps.js';
import { WebhookStore } from './stores/webhook-store.js';
import { version } from './version.js';

export interface BoardParts {
  /** Migrated already. */
  readonly store: Store;
  readonly encryptionKey?: string | undefined;
  readonly outbound?: OutboundPolicy | undefined;
  /** Default 5; 0 switches hooks off. */
  readonly maxNotifyHooks?: number | undefined;
  /** For timers. Default: the machine's. */
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  readonly logger?: Logger | undefined;
  /** What notify hooks are called with. Default: one that follows `outbound`. */
  readonly client?: Pick<OutboundClient, 'send' | 'close'> | undefined;
}

export interface AssembledBoard {
  readonly board: IBoard;
  readonly wakes: BoardWakes;
  readonly dispatcher: NotifyDispatcher;
  readonly doorbell: Doorbell;
  readonly duties: BoardDutyPorts;
  /** Lets todos wake consumers: hooks and the doorbell. A command that ends at once does without. */
  start(): void;
  /** Wakes nobody any more, and ends what is under way. Idempotent. */
  stop(): Promise<void>;
}

/** Puts a board together over a store. @throws BellhopError `ENCRYPTION_KEY` for a key that is none. */
export function assembleBoard(parts: BoardParts): AssembledBoard {
  const { store, clock = systemClock, random = systemRandom, logger = silentLogger } = parts;
  const sealer = SecretSealer.fromKey(parts.encryptionKey);
  const guard = new OutboundGuard({ policy: parts.outbound ?? {}, clock });
  const client = parts.client ?? new OutboundClient({ guard, clock });
  const edges = new ReadyEdges(logger);
  const announcements = new BoardAnnouncements(edges, store);
  const endpoints = new EndpointStore({ store });
  const hooks = new NotifyHookStore({ store, sealer, guard, max: parts.maxNotifyHooks });
  const inboundWebhooks = new WebhookStore({ store, sealer });
  const operator = new OperatorTodoStore(store);
  const dispatcher = new NotifyDispatcher({ store, hooks, sealer, client, clock, random, logger, version });
  const doorbell = new Doorbell({ store, clock, logger });
  const hooksOn = hooks.max > 0;
  const board = new Board({
    clock: store.clock,
    endpoints,
    todos: new TodoStore(store),
    operator,
    notifyHooks: hooks,
    inboundWebhooks,
    inbound: new Ingest({ store, webhooks: inboundWebhooks, sealer, limit: new AddressLimit({ clock }), announcements, logger }),
    doorbell,
    announcements,
    edges,
  });
  let leave: (() => void)[] = [];
  // The id of a wake belongs to whoever fired it; the ready hook knows nothing of it.
  let firing: string | undefined;
  const wakes: BoardWakes = {
    hooksOn,
    wakeSql,
    fireReady(todo, reason, wakeId) {
      firing = wakeId;
      edges.fire(todo, reason);
      firing = undefined;
    },
    onWakeOutcome: (fn) => dispatcher.onOutcome(fn),
  };
  return {
    board,
    wakes,
    dispatcher,
    doorbell,
    duties: { sweeps: new TodoSweeps(store), endpoints, hooks, announcements, doorbell },
    start() {
      leave = [
        ...(hooksOn ? [edges.listen((todo, reason) => dispatcher.take(todo, reason, firing))] : []),
        announcements.ringWith((todo, reason) => doorbell.ringPending(todo, reason)),
        store.signals.onRemoteSignal(TODO_READY_TOPIC, ({ payload }) => void doorbell.onSignal(payload ?? '')),
      ];
    },
    async stop() {
      for (const end of leave.splice(0)) end();
      doorbell.close();
      await dispatcher.stop();
      await client.close();
    },
  };
}
