// Lists the hand-written pages that name what a change touches, for whoever made it to read again. It never says that a page is wrong, and it
// cannot say that the others are right: what it could not see is part of its report.
import { type Anchor, touchedAnchors } from './docs-drift/declaration.js';
import { declarationsOf, isRead, isSource, isTest } from './docs-drift/declarations.js';
import { driftFinding, driftOf, tooGeneric } from './docs-drift/drift.js';
import { isPage, readPage } from './docs-drift/page.js';
import { selfTest } from './docs-drift/self-test.js';
import type { Diff } from './framework/diff.js';
import { EMPTY_TREE } from './framework/diff-base.js';
import type { Gate, GateContext } from './framework/gate.js';

export const gate: Gate = {
  name: 'docs-drift',
  about: 'hand-written pages name a symbol, option, route or table that the change touches.',
  watches: [/^packages\/[^/]+\/(?:src|bin)\//, /^package\.json$/],
  advisory: true,
  measure(context) {
    const diff = context.diff();
    const { anchors, blind } = readAnchors(diff);
    const pages = readPages(diff);
    // From the empty tree on every page is part of the change, and was never held against the sources.
    const touched = new Set(diff.base.start === EMPTY_TREE ? [] : diff.changes.map(({ path }) => path));
    const drifts = driftOf(pages.read, anchors, wordsLeft(diff));
    const found = drifts.filter(({ path }) => !touched.has(path));
    const told = drifts.filter(({ path }) => touched.has(path)).map(({ path, mentions }) => `${path} (names ${mentions.length})`);
    printUnseen(context, 'changed files without an anchor', blind);
    printUnseen(context, 'names too generic to look for', tooGeneric(anchors));
    printUnseen(context, 'pages that the change touches itself', told);
    printUnseen(context, 'pages that a tool writes', pages.generated);
    return {
      findings: found.map(driftFinding),
      summary: `${anchors.length} names touched, ${pages.read.length} pages read`,
    };
  },
  selfTest,
};

/** What of a list is printed; the rest is counted. */
const LISTED = 10;

function printUnseen({ print }: GateContext, what: string, items: readonly string[]): void {
  if (items.length === 0) return;
  const more = items.length - LISTED;
  print(`docs-drift: not seen: ${items.length} ${what}: ${items.slice(0, LISTED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`);
}

/** What the change touches, and the changed files of which nothing came. Tests and pages are expected to bring none. */
function readAnchors(diff: Diff): { anchors: Anchor[]; blind: string[] } {
  const read = diff.changes.map((change) => {
    const from = change.from ?? change.path;
    return {
      path: change.path,
      before: isRead(from) ? declarationsOf(from, diff.before(change) ?? '') : [],
      after: isRead(change.path) ? declarationsOf(change.path, diff.after(change) ?? '') : [],
    };
  });
  const anchors = touchedAnchors(
    read.flatMap(({ before }) => before),
    read.flatMap(({ after }) => after),
  );
  const blind = read.filter(({ path, before, after }) => !isTest(path) && !isPage(path) && touchedAnchors(before, after).length === 0);
  return { anchors, blind: blind.map(({ path }) => path) };
}

/** Whether a source holds a word after the change. Reads the sources when it is first asked: only what is removed makes one ask. */
function wordsLeft({ head }: Diff): (word: string) => boolean {
  let words: Set<string> | undefined;
  return (word) => {
    words ??= new Set(
      head
        .files()
        .filter(isSource)
        .flatMap((path) => head.read(path)?.match(/[A-Za-z_$][\w$]*/g) ?? []),
    );
    return words.has(word);
  };
}

function readPages(diff: Diff) {
  const read = [];
  const generated = [];
  for (const path of diff.head.files().filter(isPage)) {
    const page = readPage(path, diff.head.read(path) ?? '');
    if (page) read.push(page);
    else generated.push(path);
  }
  return { read, generated };
}
