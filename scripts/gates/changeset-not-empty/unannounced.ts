// Packages whose users get something else after a change, without a changeset that says so.
import { type Changeset, isReadable, type UnreadableChangeset } from '../changesets/changeset.js';
import { packageOf, type WorkspacePackage } from '../changesets/packages.js';
import type { Diff } from '../framework/diff.js';
import type { Finding } from '../framework/finding.js';
import { lineOf } from '../framework/finding.js';
import { type Catalog, catalogOf, touchedFields } from './manifest-fields.js';
import { isPublicSource } from './public-source.js';

/** What a change does to a package. */
export interface PackageChange {
  readonly of: WorkspacePackage;
  /** Changed files that its users get. */
  readonly sources: readonly string[];
  /** Changed fields of its package.json that they notice. */
  readonly fields: readonly string[];
  /** Where the first of the fields is. */
  readonly fieldLine: number;
}

const LISTED = 3;
const WORKSPACE = 'pnpm-workspace.yaml';

/** Published packages that the change touches, those that it releases left out. */
export function changedPackages(diff: Diff, packages: readonly WorkspacePackage[]): PackageChange[] {
  const catalogs = catalogsOf(diff);
  return packages
    .filter(({ isPrivate }) => !isPrivate)
    .flatMap((of) => {
      const before = manifestBefore(diff, of.folder);
      if (isReleased(diff, of, before?.version)) return [];
      const paths = diff.changes.flatMap(({ path, from }) => (from === undefined ? [path] : [from, path]));
      const sources = paths.filter((path) => isPublicSource(of, path));
      // A package.json that did not change itself still asks the catalog.
      const earlier = before?.manifest ?? (isAdded(diff, of.folder) ? undefined : of.manifest);
      const fields = touchedFields(earlier, of.manifest, catalogs);
      if (sources.length === 0 && fields.length === 0) return [];
      const text = diff.head.read(`${of.folder}/package.json`) ?? '';
      return [{ of, sources, fields, fieldLine: fields[0] === undefined ? 1 : lineOf(text, Math.max(0, text.indexOf(`"${fields[0]}"`))) }];
    });
}

/**
 * A release takes the changesets, raises the version and writes it into the changelog. What the version says is announced, so the changelog's
 * heading is asked for: a version that was only edited announces nothing.
 */
function isReleased(diff: Diff, { folder, version }: WorkspacePackage, earlier: string | undefined): boolean {
  if (earlier === undefined || earlier === version) return false;
  const changelog = diff.head.read(`${folder}/CHANGELOG.md`) ?? '';
  return changelog.split(/\r?\n/).some((line) => line.trim() === `## ${version}`);
}

function manifestBefore(diff: Diff, folder: string): WorkspacePackage | undefined {
  const change = diff.changes.find(({ path }) => path === `${folder}/package.json`);
  const text = change && diff.before(change);
  return text === undefined ? undefined : packageOf(folder, text);
}

function isAdded(diff: Diff, folder: string): boolean {
  return diff.changes.some(({ kind, path }) => kind === 'added' && path === `${folder}/package.json`);
}

function catalogsOf(diff: Diff): { before: Catalog; after: Catalog } {
  const after = catalogOf(diff.head.read(WORKSPACE) ?? '');
  const change = diff.changes.find(({ path }) => path === WORKSPACE);
  const text = change && diff.before(change);
  return { before: text === undefined ? after : catalogOf(text), after };
}

export function unannouncedFindings(changed: readonly PackageChange[], pending: readonly (Changeset | UnreadableChangeset)[]): Finding[] {
  const named = new Set(pending.flatMap((each) => (isReadable(each) ? each.releases.map(({ name }) => name) : [])));
  const unreadable = pending.flatMap((each) => (isReadable(each) ? [] : [each.path]));
  return changed
    .filter(({ of }) => !named.has(of.name))
    .map(({ of, sources, fields, fieldLine }) => {
      const manifest = `${of.folder}/package.json`;
      const what = [listed(sources), fields.length === 0 ? '' : `${fields.join(', ')} of its package.json`].filter((part) => part !== '');
      return {
        file: sources[0] ?? manifest,
        ...(sources.length === 0 ? { line: fieldLine } : {}),
        what:
          `the public source of ${of.name} changes (${what.join('; ')}), and no pending changeset names it` +
          (unreadable.length === 0 ? '' : ` (${unreadable.join(', ')} cannot be read)`),
        mend:
          `npx pnpm changeset: name ${of.name} and say in a sentence what changes for whoever upgrades; where nothing does, ` +
          `give it the bump "none" and say why`,
      };
    });
}

function listed(paths: readonly string[]): string {
  const more = paths.length - LISTED;
  return paths.slice(0, LISTED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
