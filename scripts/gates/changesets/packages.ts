// The packages of the workspace at the head of a change.
import type { Tree } from '../framework/diff.js';

export interface WorkspacePackage {
  readonly name: string;
  /** `packages/<folder>` */
  readonly folder: string;
  readonly version: string;
  /** Never published. */
  readonly isPrivate: boolean;
  /** Its package.json, as parsed. */
  readonly manifest: Readonly<Record<string, unknown>>;
}

/** Throws for a package.json that cannot be read. */
export function packagesOf(tree: Tree): WorkspacePackage[] {
  return tree.files().flatMap((path) => {
    const folder = /^(packages\/[^/]+)\/package\.json$/.exec(path)?.[1];
    return folder === undefined ? [] : [packageOf(folder, tree.read(path) ?? '')];
  });
}

export function packageOf(folder: string, text: string): WorkspacePackage {
  let manifest: Record<string, unknown>;
  try {
    manifest = JSON.parse(text);
  } catch (error) {
    throw new Error(`${folder}/package.json is no JSON: ${(error as Error).message}`);
  }
  const { name, version, private: isPrivate } = manifest;
  if (typeof name !== 'string' || typeof version !== 'string')
    throw new Error(`${folder}/package.json must have a name and a version, both strings.`);
  return { name, folder, version, isPrivate: isPrivate === true, manifest };
}

/** The version after a major bump, as semver counts: a pre-release of `2.0.0` becomes `2.0.0`. Throws for what is no version. */
export function nextMajor(version: string): number {
  const parts = /^(\d+)\.(\d+)\.(\d+)(-.+)?$/.exec(version);
  if (!parts) throw new Error(`${JSON.stringify(version)} is no version such as 1.2.3.`);
  const isFirst = parts[2] === '0' && parts[3] === '0' && parts[4] !== undefined;
  return Number(parts[1]) + (isFirst ? 0 : 1);
}
