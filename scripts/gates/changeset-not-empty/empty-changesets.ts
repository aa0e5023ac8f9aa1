// Changesets that say nothing: no package, none that there is, or no word for whoever upgrades.
import { type Changeset, isReadable, type UnreadableChangeset } from '../changesets/changeset.js';
import type { TouchedChangeset } from '../changesets/changesets.js';
import type { Finding } from '../framework/finding.js';
import { lineOf } from '../framework/finding.js';
import { blanked, regionsOf } from '../framework/markdown.js';

/** @param removed packages that the change takes away: a pending changeset that names one breaks the next release. */
export function emptyFindings(
  touched: readonly TouchedChangeset[],
  pending: readonly (Changeset | UnreadableChangeset)[],
  names: ReadonlySet<string>,
  removed: ReadonlySet<string>,
): Finding[] {
  const touchedPaths = new Set(touched.map(({ after }) => after.path));
  const orphaned = pending.filter(isReadable).filter(({ path }) => !touchedPaths.has(path));
  return [
    ...touched.flatMap(({ after }) => (isReadable(after) ? [...saysNothing(after), ...unknownNames(after, names)] : [])),
    ...orphaned.flatMap(({ path, releases }) =>
      releases
        .filter(({ name }) => removed.has(name))
        .map(({ name, line }) => ({
          file: path,
          line,
          what: `waits for its release and names ${name}, which the change takes away`,
          mend: 'take the line out, or delete the changeset where nothing of it is left',
        })),
    ),
  ];
}

function saysNothing({ path, text, releases, summaryAt }: Changeset): Finding[] {
  const findings: Finding[] = [];
  if (releases.length === 0) {
    const mend = `name what changed, such as "'@bellhop/store': minor", with the bump "none" for a change that needs no release; a change of no package needs no changeset`;
    findings.push({ file: path, line: 1, what: 'names no package', mend });
  }
  if (blanked(text, regionsOf(text), ['comment']).slice(summaryAt).trim() === '') {
    const mend = 'say below the second "---", in a sentence, what changed for whoever upgrades; it becomes a line of the changelog';
    findings.push({ file: path, line: lineOf(text, summaryAt), what: 'says nothing about the change', mend });
  }
  return findings;
}

function unknownNames({ path, releases }: Changeset, names: ReadonlySet<string>): Finding[] {
  return releases
    .filter(({ name }) => !names.has(name))
    .map(({ name, line }) => ({
      file: path,
      line,
      what: `names ${name}, which is no package here`,
      mend: `name one of ${[...names].join(', ')}`,
    }));
}
