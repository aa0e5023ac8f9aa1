/** Reads an answer's body while it streams. Must never hold more than was asked for, however much a receiver sends. */

export interface AnswerBody {
  readonly text: string;
  /** True when there was more than `maxBytes`. */
  readonly cut: boolean;
}

/** The first `maxBytes` of the body as UTF-8; a character that the cut splits is left out, and bytes that are no UTF-8 become U+FFFD. */
export async function readAnswer(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<AnswerBody> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let text = '';
  let left = maxBytes;
  for await (const chunk of body) {
    text += decoder.decode(chunk.subarray(0, left), { stream: true });
    // Leaving the loop destroys the stream, and with it the connection.
    if (chunk.length > left) return { text, cut: true };
    left -= chunk.length;
  }
  return { text: text + decoder.decode(), cut: false };
}
