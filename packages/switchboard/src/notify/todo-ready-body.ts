// The body of a notification: what a receiver needs to go and claim, and nothing of what the todo holds. Must never carry the payload, headers or
// secrets, and is at most 4 KiB whatever a sender put into names and titles.

const SUMMARY_MAX_CHARACTERS = 200;
const REASON_MAX_CHARACTERS = 64;

export interface TodoReadyFacts {
  readonly reason: string;
  readonly todoId: string;
  readonly queue: string;
  readonly kind: string | null;
  readonly source: string;
  readonly title: string;
  /** The endpoint's slug. */
  readonly endpoint: string;
  /** Claims so far. */
  readonly attempt: number;
  /** When the wake was fired, in epoch milliseconds. */
  readonly createdAt: number;
}

/**
 * The JSON text that is signed and sent.
 *
 * Its bound: a queue of 255 characters is at most 1 530 bytes (each a control character, escaped as six), a kind and a source, which have none
 * left, 1 020 and 64, a summary 800, a reason 256, an id and a slug of ASCII 103, the rest about 200: 3 973 in all.
 */
export function todoReadyBody(facts: TodoReadyFacts): string {
  const { reason, todoId, queue, kind, source, title, endpoint, attempt, createdAt } = facts;
  return JSON.stringify({
    type: 'todo.ready',
    reason: clip(neutralise(reason), REASON_MAX_CHARACTERS),
    todo_id: todoId,
    // As it is: a receiver claims from it by this name.
    queue,
    ...(kind === null ? {} : { kind: neutralise(kind) }),
    source: neutralise(source),
    summary: clip(neutralise(title), SUMMARY_MAX_CHARACTERS),
    endpoint,
    attempt,
    created_at: new Date(createdAt).toISOString(),
  });
}

/** What is not seen: zero-width and direction marks, tags. It can hide a word from whoever reads, and spell one for whatever else does. */
const INVISIBLE = /[\p{Cf}\p{Cs}]/gu;
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/gu;
/** What would end, or open, the frame in which an agent is shown the line. */
const CHANNEL_TAG = /<(?=\s*\/?\s*channel)/giu;

/** A text of a sender that an agent may be shown in one line: it cannot break the line, hide in it, or leave its frame. */
export function neutralise(text: string): string {
  return text.replace(INVISIBLE, '').replace(CONTROL, ' ').replace(CHANNEL_TAG, '‹').replace(/\s+/gu, ' ').trim();
}

function clip(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}
