import { QUARANTINE_QUEUE } from '@bellhop/contracts';

// The sender gate, in one place: which todos may wake somebody. Everything that wakes asks it, in SQL or of a row; must never be written out
// anywhere else, for the path with the looser gate is the one that is attacked.

/** Whether a todo of an event may wake: the event is verified, or its source is trusted for knowing the URL (`generic`). Decided once, when it is made. */
export function gateVerdict({ verified, source }: { readonly verified: boolean; readonly source: string }): boolean {
  return verified || source === 'generic';
}

/** The same of stored rows, as an SQL condition. @param todo alias of `board_todo`. */
export function gatePassing(todo: string): string {
  return `${todo}.gate = 1 AND ${todo}.queue <> '${QUARANTINE_QUEUE}'`;
}

/** The same of a row in hand. */
export function passesGate({ gate, queue }: { readonly gate: number; readonly queue: string }): boolean {
  return Number(gate) === 1 && queue !== QUARANTINE_QUEUE;
}
