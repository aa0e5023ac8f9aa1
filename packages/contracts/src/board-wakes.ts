import { token } from '@bellhop/kernel';
import type { SqlFamily } from './statement.js';

/** A todo that may be claimed. */
export interface ReadyTodo {
  readonly id: string;
  readonly organizationId: string;
  readonly endpointId: string;
  readonly queue: string;
}

/** Why a todo is told of: `created`, `requeued`, `stalled`. An open vocabulary: whoever does not know a reason takes it for an ordinary wake. */
export type ReadyReason = string;

export type ReadyHook = (todo: ReadyTodo, reason: ReadyReason) => void;

/**
 * What came of one wake over all hooks it went to. `delivered`: one receiver at least accepted it. `failed`: all refused, or were not reached.
 * `dropped`: there was no room for it, or a limit stood against it. `suppressed`: there was nobody to tell, or nothing left to claim.
 */
export type WakeOutcomeKind = 'delivered' | 'failed' | 'dropped' | 'suppressed';

export interface WakeOutcome {
  /** The todo that the wake was fired for, whichever one it named in the end. */
  readonly todo: ReadyTodo;
  readonly reason: ReadyReason;
  readonly outcome: WakeOutcomeKind;
  /** As given to `fireReady`. */
  readonly wakeId: string | undefined;
}

/** SQL conditions over the board's tables, each written in one place. An argument is an alias or an expression. */
export interface WakeSql {
  /** A todo that may wake somebody. @param todo alias of `board_todo`. */
  gatePassing(todo: string): string;
  /** An endpoint whose credential is accepted. @param endpoint alias of `board_endpoint`; @param now epoch milliseconds. */
  endpointLive(endpoint: string, now: string): string;
  inScope(endpoint: string, queue: string): string;
  /** A hook that is enabled and whose filter admits the queue. @param hook alias of `board_notify_hook`. */
  hookCovers(hook: string, queue: string): string;
  /** A wake of this queue could be delivered: the endpoint is live, the queue in its scope, and a hook of it covers the queue. */
  deliverable(endpoint: string, queue: string, now: string): string;
}

/** What a plugin needs of the board to wake its consumers. */
export interface BoardWakes {
  /** False: this deployment has switched notify hooks off, and no wake is ever delivered. */
  readonly hooksOn: boolean;
  wakeSql(family: SqlFamily): WakeSql;
  /** Fires the ready hook. Call it after the commit of what decided it. @param wakeId comes back with the outcome. */
  fireReady(todo: ReadyTodo, reason: ReadyReason, wakeId?: string): void;
  /**
   * Called with what came of each wake, those that a stop drops included: the board waits, 5 s at most, for what the calls return before it has stopped.
   *
   * @returns the call that ends it. A plugin that stops before the board stays, or what the board's stop drops is told to nobody.
   */
  onWakeOutcome(fn: (outcome: WakeOutcome) => void | Promise<void>): () => void;
}

export const BOARD_WAKES = token<BoardWakes>('BOARD_WAKES');
