// A thing that a page may name, and whether a change touched it. What moved, or was only formatted, is as it was.

export interface Declaration {
  /** As a page would write it: `intervalMs`, `--port`, `POST /v1/notifications`. */
  readonly name: string;
  /** `a field of interface DispatchLoopOptions` */
  readonly kind: string;
  /** What it is called on, where it is a member: `DispatchLoopOptions`. */
  readonly owner?: string;
  readonly path: string;
  readonly line: number;
  /** Equal for texts that say the same; see `fingerprint`. */
  readonly print: string;
}

export interface Anchor extends Omit<Declaration, 'print'> {
  readonly state: 'added' | 'changed' | 'removed';
}

/**
 * Those whose text differs, over all changed files at once, so that a declaration may move from one to another.
 * Several declarations of one name and kind (overloads, a table in many statements) are one anchor.
 */
export function touchedAnchors(before: readonly Declaration[], after: readonly Declaration[]): Anchor[] {
  const earlier = grouped(before);
  const later = grouped(after);
  const anchors: Anchor[] = [];
  for (const [key, declarations] of later) {
    const was = earlier.get(key);
    if (was !== undefined && prints(was) === prints(declarations)) continue;
    anchors.push(anchorOf(declarations, was === undefined ? 'added' : 'changed'));
  }
  for (const [key, declarations] of earlier) if (!later.has(key)) anchors.push(anchorOf(declarations, 'removed'));
  return anchors;
}

function grouped(declarations: readonly Declaration[]): Map<string, Declaration[]> {
  const groups = new Map<string, Declaration[]>();
  for (const declaration of declarations) {
    const key = `${declaration.kind}\n${declaration.name}`;
    const group = groups.get(key);
    if (group) group.push(declaration);
    else groups.set(key, [declaration]);
  }
  return groups;
}

function prints(declarations: readonly Declaration[]): string {
  return declarations
    .map(({ print }) => print)
    .sort()
    .join('\n');
}

/** Told by the one nearest to the face of its package: the interface that users see rather than the part that is handed it. */
function anchorOf(declarations: readonly Declaration[], state: Anchor['state']): Anchor {
  const [first, ...others] = declarations;
  const { print: _print, ...rest } = others.reduce((best, each) => (depthOf(each) < depthOf(best) ? each : best), first!);
  return { ...rest, state };
}

export function depthOf({ path }: Pick<Declaration, 'path'>): number {
  return path.split('/').length;
}
