import { mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NotMeasuredError } from '../framework/refusals.js';
import { linkDependencies } from './dependency-links.js';
import type { WorkspacePackage } from './workspace-packages.js';

let root: string;
let to: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'dependency-links-'));
  to = join(root, 'elsewhere');
  const installed = join(root, 'packages/kit/node_modules/@scope/installed');
  mkdirSync(installed, { recursive: true });
  writeFileSync(join(installed, 'index.js'), 'installed');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const link = (dependencies: Record<string, 'required' | 'optional'>) => {
  const named = (folder: string, needs = {}): WorkspacePackage => ({
    folder,
    name: `@acme/${folder}`,
    published: true,
    entries: [],
    dependencies: new Map(Object.entries(needs)),
  });
  linkDependencies({ root, to, packages: [named('kit', dependencies), named('clock')] });
};

describe('the links of a package elsewhere', () => {
  it('lead to what is installed, and among themselves', () => {
    link({ '@scope/installed': 'required', '@acme/clock': 'required' });
    expect(readFileSync(join(to, 'kit/node_modules/@scope/installed/index.js'), 'utf8')).toBe('installed');
    expect(readlinkSync(join(to, 'kit/node_modules/@acme/clock'))).toBe(join(to, 'clock'));
  });

  it('leave out what is optional and not there', () => {
    link({ '@scope/optional': 'optional', '@scope/installed': 'optional' });
    expect(() => readlinkSync(join(to, 'kit/node_modules/@scope/optional'))).toThrow(/ENOENT/);
    expect(readlinkSync(join(to, 'kit/node_modules/@scope/installed'))).toContain('installed');
  });

  it('are not made without what the package needs', () => {
    expect(() => link({ '@scope/missing': 'required' })).toThrow(NotMeasuredError);
    expect(() => link({ '@scope/missing': 'required' })).toThrow(/@scope\/missing, which packages\/kit needs, is not installed/);
  });
});
