// Which files of a package its users get: sources and what else is packed, tests and fixtures out, as its tsconfig has it.
import type { WorkspacePackage } from '../changesets/packages.js';

/** Whether a path belongs to what the package publishes. Its package.json is looked at field by field, elsewhere. */
export function isPublicSource({ folder, manifest }: WorkspacePackage, path: string): boolean {
  if (!path.startsWith(`${folder}/`)) return false;
  const inside = path.slice(folder.length + 1);
  if (/(?:^|\/)__[a-z]+__\/|\.(?:test|fixture)\.[cm]?[jt]sx?$/.test(inside)) return false;
  return [...packedFolders(manifest), 'src'].some((packed) => inside === packed || inside.startsWith(`${packed}/`));
}

/** What `files` names; `dist` is built from `src`. */
function packedFolders({ files }: WorkspacePackage['manifest']): string[] {
  const named = Array.isArray(files) ? files.filter((file) => typeof file === 'string') : [];
  return named.map((file) => file.replace(/^\.\//, '').replace(/\/(?:\*\*?(?:\/\*)?)?$/, '')).filter((file) => file !== 'dist');
}
