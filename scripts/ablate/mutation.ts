// The edit itself, as text in and text out: every occurrence of the anchor becomes the replacement, and counts prove that nothing else did.
// Reads and writes no file.

import type { Ablation } from './ablation.js';

/** An edit that cannot be made as it is described: nothing was measured. */
export class NoMutation extends Error {}

export interface Mutation {
  readonly mutant: Buffer;
  /** Occurrences before and after: the proof that the edit is the one described. */
  readonly anchors: { readonly before: number; readonly after: number };
  readonly replacements: { readonly before: number; readonly after: number };
}

/** @throws NoMutation when the anchor does not occur as often as expected, or the counts after the edit cannot come from it alone. */
export function mutate(entry: Pick<Ablation, 'file' | 'anchor' | 'replacement' | 'expectCount'>, source: Buffer): Mutation {
  const text = source.toString('utf8');
  if (!Buffer.from(text, 'utf8').equals(source)) throw new NoMutation(`${entry.file} is not UTF-8 text: an anchor cannot be found in it.`);
  const { anchor, replacement, expectCount } = entry;
  if (anchor === replacement) throw new NoMutation('Anchor and replacement are the same text: replace it by something else.');
  const before = occurrences(text, anchor);
  if (before !== expectCount) {
    throw new NoMutation(
      `The anchor occurs ${before} times in ${entry.file}, expected ${expectCount}: ${quote(anchor)}. Copy it from the file, or correct expectCount.`,
    );
  }
  // Never String.replace: it gives `$&` in the replacement a meaning.
  const mutated = text.split(anchor).join(replacement);
  const anchors = { before, after: occurrences(mutated, anchor) };
  const replacements = { before: occurrences(text, replacement), after: occurrences(mutated, replacement) };
  if (anchors.after !== expectCount * occurrences(replacement, anchor)) {
    throw new NoMutation(`After the edit the anchor occurs ${anchors.after} times in ${entry.file}: choose a longer one.`);
  }
  // An anchor that contains the replacement takes as many occurrences away as it brings.
  const gained = expectCount * (occurrences(replacement, replacement) - occurrences(anchor, replacement));
  if (replacements.after - replacements.before !== gained) {
    throw new NoMutation(
      `After the edit the replacement occurs ${replacements.after} times in ${entry.file}, before ${replacements.before}: the edit joined it with what stands around it. Choose a longer anchor.`,
    );
  }
  return { mutant: Buffer.from(mutated, 'utf8'), anchors, replacements };
}

/** How often it occurs, without overlaps. The empty text occurs nowhere. */
export function occurrences(text: string, part: string): number {
  return part === '' ? 0 : text.split(part).length - 1;
}

function quote(anchor: string): string {
  const text = JSON.stringify(anchor);
  return text.length > 120 ? `${text.slice(0, 117)}…"` : text;
}
