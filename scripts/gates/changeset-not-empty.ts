// Red when a change reaches users of a package without a word to them: a changeset that says nothing, or none where the public source changes.
// It never judges whether the words are the right ones.
import { emptyFindings } from './changeset-not-empty/empty-changesets.js';
import { selfTest } from './changeset-not-empty/self-test.js';
import { changedPackages, unannouncedFindings } from './changeset-not-empty/unannounced.js';
import { pendingChangesets, touchedChangesets, unreadableFindings } from './changesets/changesets.js';
import { packageOf, packagesOf } from './changesets/packages.js';
import type { Diff } from './framework/diff.js';
import type { Gate } from './framework/gate.js';

export const gate: Gate = {
  name: 'changeset-not-empty',
  about: 'a changeset is empty or names no package, or the public source of a package changes and no changeset names it.',
  watches: [/^\.changeset\//, /^packages\//, /^pnpm-workspace\.yaml$/, /^scripts\/gates\/changesets\//],
  measure(context) {
    const diff = context.diff();
    const touched = touchedChangesets(diff);
    const pending = pendingChangesets(diff.head);
    const packages = packagesOf(diff.head);
    const changed = changedPackages(diff, packages);
    const names = new Set(packages.map(({ name }) => name));
    return {
      findings: [
        ...unreadableFindings(touched),
        ...emptyFindings(touched, pending, names, removedNames(diff, names)),
        ...unannouncedFindings(changed, pending),
      ],
      summary: `${touched.length} changesets touched, ${pending.length} pending, ${changed.length} of ${packages.length} packages change`,
    };
  },
  selfTest,
};

/** Packages of the base that are none at the head. */
function removedNames(diff: Diff, names: ReadonlySet<string>): Set<string> {
  const removed = new Set<string>();
  for (const change of diff.changes) {
    const folder = /^(packages\/[^/]+)\/package\.json$/.exec(change.from ?? change.path)?.[1];
    const text = folder === undefined ? undefined : diff.before(change);
    if (folder === undefined || text === undefined) continue;
    const { name } = packageOf(folder, text);
    if (!names.has(name)) removed.add(name);
  }
  return removed;
}
