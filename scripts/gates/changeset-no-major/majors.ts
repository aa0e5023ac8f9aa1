// Which major bumps a change brings that nobody decided on. A bump that the base's version of the changeset has is not the change's doing.
import { isReadable } from '../changesets/changeset.js';
import type { TouchedChangeset } from '../changesets/changesets.js';
import type { AllowedMajor, Decision } from '../changesets/decisions.js';
import { nextMajor, type WorkspacePackage } from '../changesets/packages.js';
import type { Finding } from '../framework/finding.js';

export function majorFindings(
  touched: readonly TouchedChangeset[],
  packages: readonly WorkspacePackage[],
  decisions: readonly Decision[],
): Finding[] {
  return touched.flatMap(({ before, after }) => {
    if (!isReadable(after)) return [];
    return after.releases.flatMap(({ name, bump, line }) => {
      if (bump !== 'major') return [];
      const earlier = before?.releases.find((release) => release.name === name)?.bump;
      if (earlier === 'major') return [];
      const found = { file: after.path, line };
      const of = packages.find((candidate) => candidate.name === name);
      if (of === undefined) {
        const mend = `name a package of the workspace: ${packages.map((candidate) => candidate.name).join(', ')}`;
        return [{ ...found, what: `adds a major bump of ${name}, which is no package here`, mend }];
      }
      const major = nextMajor(of.version);
      if (decisions.some(({ allows }) => allows.some(({ release }) => release?.name === name && release.major === major))) return [];
      const act = earlier === undefined ? 'adds a major bump of' : `raises ${earlier} to major for`;
      return [
        {
          ...found,
          what: `${act} ${name} (${of.version} → ${major}.0.0), which no page in docs/adr allows${nearby(decisions, name)}`,
          mend:
            `keep what callers rely on and declare minor; or decide on the break in docs/adr/NNNN-<name>.md, with the line ` +
            `"Allows major: ${name}@${major}" above its first ## heading (docs/adr/README.md)`,
        },
      ];
    });
  });
}

/** What is written for the package, but allows something else, or nothing. */
function nearby(decisions: readonly Decision[], name: string): string {
  const near = decisions.flatMap(({ path, allows }) => allows.filter((each) => isNear(each, name)).map((each) => said(path, each)));
  return near.length === 0 ? '' : ` (${near.join('; ')})`;
}

function isNear({ release, item }: AllowedMajor, name: string): boolean {
  return release ? release.name === name : item.includes(name.replace(/^@[^/]+\//, ''));
}

function said(path: string, { line, item, release }: AllowedMajor): string {
  return release
    ? `${path}:${line} allows ${item}`
    : `${path}:${line} says ${JSON.stringify(item)}, which is no package@major and allows nothing`;
}
