import type { Clock, Random } from '@bellhop/kernel';
import { v7 } from 'uuid';

/** Makes the next id; each sorts after the one before. */
export type IdSource = () => string;

/**
 * UUID v7 from the clock and the random source: ids sort by creation, which is what claims and lists order by.
 *
 * Invariant: the ids of one source rise strictly, within a millisecond and when the clock goes back (then they stay at the latest time
 * seen). Two sources with the same clock are kept apart by 73 random bits.
 */
export function createIdSource({ clock, random }: { clock: Pick<Clock, 'now'>; random: Random }): IdSource {
  let latestMs = -1;
  let sequence = 0;
  // One buffer for all ids: making one each time was half of what an id cost, and an enqueue of 64 at once spends a twentieth of its time on them.
  const words = new Uint32Array(4);
  const bytes = new Uint8Array(words.buffer);
  return () => {
    const now = Math.max(0, Math.floor(clock.now()));
    drawWords(words, random);
    if (now > latestMs) {
      latestMs = now;
      // 31 random bits of the 32: half the space is left to count up in.
      sequence = (((bytes[0] as number) & 0x7f) << 24) | ((bytes[1] as number) << 16) | ((bytes[2] as number) << 8) | (bytes[3] as number);
    } else {
      sequence = (sequence + 1) >>> 0;
      if (sequence === 0) latestMs += 1;
    }
    return v7({ msecs: latestMs, seq: sequence, random: bytes });
  };
}

/** Bytes of the source, four to a draw. */
function drawWords(words: Uint32Array, random: Random): void {
  for (let at = 0; at < words.length; at += 1) words[at] = random() * 0x1_0000_0000;
}

/** A claim token: 128 random bits in hex. It guards against stale claims, not against attackers, so the injected source is enough. */
export function createClaimToken(random: Random): string {
  const words = new Uint32Array(4);
  drawWords(words, random);
  return Buffer.from(words.buffer).toString('hex');
}
