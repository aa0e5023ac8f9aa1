import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { tolerateClosedPipes } from './closed-pipe.js';

const BIN = fileURLToPath(new URL('../bin.ts', import.meta.url));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bellhop-pipe-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('prints for a reader that has gone without failing', async () => {
  const node = ['--conditions=bellhop-source', '--import', import.meta.resolve('tsx')];
  const child = spawn(process.execPath, [...node, BIN, 'migrate', '--database-url', `file:${join(folder, 'app.db')}`], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // Long before it prints: it has not loaded yet.
  child.stdout.destroy();
  let stderr = '';
  child.stderr.on('data', (text) => (stderr += text));
  const [code] = await once(child, 'close');
  expect([code, stderr]).toEqual([0, '']);
});

it('throws what else becomes of a stream', () => {
  const stream = new PassThrough();
  tolerateClosedPipes([stream]);
  stream.emit('error', Object.assign(new Error('gone'), { code: 'EPIPE' }));
  expect(() => stream.emit('error', Object.assign(new Error('full'), { code: 'ENOSPC' }))).toThrow('full');
});
