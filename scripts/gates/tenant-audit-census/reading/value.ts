// What following an expression ends at.
import type { Closure } from './closure.js';

export type Value =
  /** Written out: nothing is left to follow. */
  | ({ readonly kind: 'written' } & Closure)
  /** Left out, or `undefined`. */
  | { readonly kind: 'undefined' }
  /** A name of a module that is none of ours, or a global. */
  | ({ readonly kind: 'outside'; readonly from: string; readonly name: string } & Closure)
  | Unread;

/** What cannot be followed, and why. */
export type Unread = { readonly kind: 'unreadable'; readonly why: string } & Closure;

export function unreadable({ file, node, env }: Closure, why: string): Unread {
  return { kind: 'unreadable', why, file, node, env };
}
