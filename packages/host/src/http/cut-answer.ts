import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';

/**
 * Calls `fn` when the answer to this request did not leave in full, because its caller hung up or the host's stop cut the connection. What the
 * machine has taken over counts as gone out, read or not.
 *
 * Not by the signal of the request: an answer whose last write was cut off counts as finished there.
 */
export function whenAnswerIsCut(context: Context, fn: () => void): void {
  const { incoming, outgoing } = context.env as HttpBindings;
  outgoing.once('close', () => {
    if (!outgoing.writableFinished || incoming.socket.destroyed) fn();
  });
}
