// Holds the breaks that a changeset declares against the marker that registers them. A marker is a claim, and each is looked up at the head.
import { type Changeset, isReadable } from '../changesets/changeset.js';
import type { TouchedChangeset } from '../changesets/changesets.js';
import type { Decision } from '../changesets/decisions.js';
import type { WorkspacePackage } from '../changesets/packages.js';
import type { Tree } from '../framework/diff.js';
import type { Finding } from '../framework/finding.js';
import { declaredBreaks } from './breaks.js';
import { declaredAs } from './declared-type.js';
import { MARKER_FORMS, type Marker, markersOf, type Registration } from './markers.js';
import { prescriptionsOf } from './prescriptions.js';

/** What markers are looked up in. */
export interface Head {
  readonly tree: Pick<Tree, 'read'>;
  readonly packages: readonly WorkspacePackage[];
  readonly decisions: readonly Decision[];
}

const CHOICES = `${MARKER_FORMS.join(', ')} (docs/guides/changesets.md says which)`;

export function registrationFindings(touched: readonly TouchedChangeset[], head: Head): Finding[] {
  return touched.flatMap(({ after }) => (isReadable(after) ? judged(after, head) : []));
}

function judged(changeset: Changeset, head: Head): Finding[] {
  const { path } = changeset;
  const markers = markersOf(changeset);
  const [marker, ...others] = markers;
  if (marker === undefined) {
    const breaks = declaredBreaks(changeset);
    if (breaks.length === 0) return [];
    const what = `declares a break (${breaks.map((each) => each.what).join('; ')}) and holds no registration marker`;
    return [{ file: path, line: breaks[0]!.line, what, mend: `add one of ${CHOICES}` }];
  }
  const findings = markers.flatMap((each) => checked(each, changeset, head));
  for (const other of others) {
    const what = `a second registration marker (${other.text}); the first is at line ${marker.line} (${marker.text})`;
    findings.push({ file: path, line: other.line, what, mend: 'keep the one that says most; a break is registered once' });
  }
  return findings;
}

function checked({ line, text, registration }: Marker, changeset: Changeset, head: Head): Finding[] {
  const at = { file: changeset.path, line };
  if (registration === undefined) return [{ ...at, what: `the marker "${text}" cannot be read`, mend: `write one of ${CHOICES}` }];
  switch (registration.category) {
    case 'adr':
      return adr(registration.number, head).map((wrong) => ({ ...at, ...wrong }));
    case 'unpublished':
      return published(changeset, head).map((wrong) => ({ ...at, ...wrong }));
    case 'no-migration-prescription':
      return prescriptionsOf(changeset).map(({ line: prescribedAt, what }) => ({
        file: changeset.path,
        line: prescribedAt,
        what: `prescribes a migration (${what}), while the marker at line ${line} says that none is prescribed`,
        mend: `register the break as what it is: ${MARKER_FORMS[0]}, or ${MARKER_FORMS[3]}`,
      }));
    case 'types-only':
      return typesOnly(registration, changeset, head).map((wrong) => ({ ...at, ...wrong }));
  }
}

type Wrong = Pick<Finding, 'what' | 'mend'>;

function adr(number: string, { decisions }: Head): Wrong[] {
  if (decisions.some((decision) => decision.number === number)) return [];
  const last = decisions.at(-1);
  const mend = `name a page that is there${last ? ` (the last is ${last.path})` : ''}, or write docs/adr/${number}-<name>.md`;
  return [{ what: `registers the break in docs/adr/${number}-….md, which is not there`, mend }];
}

function published({ releases }: Changeset, { packages }: Head): Wrong[] {
  return releases.flatMap(({ name }) => {
    const of = packages.find((candidate) => candidate.name === name);
    if (of && (of.isPrivate || of.version === '0.0.0')) return [];
    const state = of ? `${name} ${of.version} is published` : `${name} is no package here`;
    return [{ what: `says that nothing is published yet, but ${state}`, mend: `register the break otherwise: ${CHOICES}` }];
  });
}

function typesOnly({ symbols }: Extract<Registration, { category: 'types-only' }>, { releases }: Changeset, head: Head): Wrong[] {
  const folders = head.packages.filter(({ name }) => releases.some((release) => release.name === name)).map(({ folder }) => folder);
  return symbols.flatMap(({ path, symbol }): Wrong[] => {
    const claim = `says that only the type ${symbol} of ${path} changes`;
    if (!folders.some((folder) => path.startsWith(`${folder}/src/`)))
      return [
        {
          what: `${claim}, which is no source of a package it names`,
          mend: `name a file below ${folders.map((f) => `${f}/src`).join(' or ')}`,
        },
      ];
    const text = head.tree.read(path);
    if (text === undefined)
      return [{ what: `${claim}, and there is no such file`, mend: 'name the file that declares it after the change' }];
    const declared = declaredAs(path, text, symbol);
    if (declared === 'type') return [];
    if (declared === 'value')
      return [{ what: `${claim}, which is there at run time, too`, mend: `register the break otherwise: ${MARKER_FORMS[0]}` }];
    return [{ what: `${claim}, which that file does not export`, mend: 'name the interface or type as the file exports it' }];
  });
}
