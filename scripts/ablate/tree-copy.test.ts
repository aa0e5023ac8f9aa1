import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkInside, checkLinks } from './tree-copy.js';

let folder: string;
let copy: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'ablate-copy-')));
  copy = join(folder, 'copy');
  for (const name of ['kernel', 'loop']) {
    const path = join(copy, 'packages', name);
    mkdirSync(join(path, 'node_modules/@tiny'), { recursive: true });
    writeFileSync(join(path, 'package.json'), JSON.stringify({ name: `@tiny/${name}` }));
  }
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const link = (target: string) => symlinkSync(target, join(copy, 'packages/loop/node_modules/@tiny/kernel'));

describe('the links of a copy', () => {
  it('lead into it', () => {
    link(join(copy, 'packages/kernel'));
    expect(() => checkLinks(copy)).not.toThrow();
  });

  it('that lead out of it, to a folder of a longer name as well, are refused', () => {
    mkdirSync(join(folder, 'copy-of-another'));
    link(join(folder, 'copy-of-another'));
    expect(() => checkLinks(copy)).toThrow(/out of the copy/);
    expect(() => checkInside(copy, folder)).toThrow(/out of the copy/);
  });

  it('that are not there are refused', () => {
    expect(() => checkLinks(copy)).toThrow(/No package of .* is linked to another/);
  });
});
