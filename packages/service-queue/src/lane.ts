import { createHash } from 'node:crypto';

/** Between the organization and the group of a lane. Below every character that a name is likely to begin with, so that an organization's lanes stand together. */
const SEPARATOR = '\u001f';
/** What an encoded organization begins with. No plain one holds either of the two. */
const ENCODED = '\u001e';
/** The last code point: above every lane. */
const HIGHEST = '\u{10ffff}';
/** A lane is in the index of every pending job: longer keys are worth a digest. */
const GROUP_MAX_BYTES = 64;

/**
 * The lane of a job: whose turn it is, in one text whose byte order is the order of turns. Distinct organizations never share a lane, nor do
 * their lanes interleave, whatever their names hold: a claim for one organization is a range of lanes.
 */
export function laneOf(organizationId: string, groupKey: string | null): string {
  return organizationPart(organizationId) + SEPARATOR + groupPart(groupKey ?? '');
}

/** What a walk over lanes is told: to begin above `after`, and to end at `upTo`. */
export interface LaneRange {
  readonly after: string;
  readonly upTo: string;
}

/** The lanes of an organization, or all, as a range that leaves out its lower bound: a walk goes on from the lane it was at. */
export function laneRange(organizationId: string | null = null): LaneRange {
  if (organizationId === null) return { after: '', upTo: HIGHEST };
  const part = organizationPart(organizationId);
  // Between the two there is only what the organization's own lanes begin with: no other name holds such characters unencoded.
  return { after: part + ENCODED, upTo: part + String.fromCharCode(SEPARATOR.charCodeAt(0) + 1) };
}

function organizationPart(organizationId: string): string {
  const plain = !organizationId.includes(SEPARATOR) && !organizationId.includes(ENCODED) && !organizationId.startsWith(HIGHEST);
  return plain ? organizationId : ENCODED + digest(organizationId);
}

/** A key that looks like a digest is digested, too: no other key can be given its lane. */
function groupPart(groupKey: string): string {
  return Buffer.byteLength(groupKey) <= GROUP_MAX_BYTES && !groupKey.startsWith('#') ? groupKey : `#${digest(groupKey)}`;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** Byte order of UTF-8, in which databases compare lanes and ids; JavaScript compares UTF-16 units, which puts 😀 before U+FFFD. */
export function byBytes(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at += 1) {
    const leftUnit = left.charCodeAt(at);
    const rightUnit = right.charCodeAt(at);
    if (leftUnit !== rightUnit) return rank(leftUnit) - rank(rightUnit);
  }
  return left.length - right.length;
}

/** Surrogates stand for the code points above all others. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x1_0000 : unit;
}
