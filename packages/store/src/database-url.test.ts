import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseDatabaseUrl, redactUrl } from './database-url.js';

describe('database URLs', () => {
  it.each([
    ['memory:', { kind: 'memory' }],
    ['file:data/app.db', { kind: 'sqlite', file: resolve('data/app.db') }],
    ['file:///var/lib/app%20one.db', { kind: 'sqlite', file: '/var/lib/app one.db' }],
    ['libsql:file:data/app.db', { kind: 'libsql-file', file: resolve('data/app.db') }],
    ['libsql://db.example.org', { kind: 'libsql-remote', url: 'libsql://db.example.org' }],
    ['https://db.example.org', { kind: 'libsql-remote', url: 'https://db.example.org' }],
    ['http://127.0.0.1:8080', { kind: 'libsql-remote', url: 'http://127.0.0.1:8080' }],
    ['postgres://u:p@localhost/db', { kind: 'postgres', url: 'postgres://u:p@localhost/db' }],
    ['postgresql://localhost/db', { kind: 'postgres', url: 'postgresql://localhost/db' }],
  ])('%s is understood', (url, address) => {
    expect(parseDatabaseUrl(url)).toEqual(address);
  });

  it.each([
    '',
    'app.db',
    'mysql://localhost/db',
    'file:',
    'file::memory:',
    'file:a.db?mode=ro',
    'postgres://',
    'file://host/x%',
    'http://',
  ])('%j is refused with what is allowed', (url) => {
    expect(() => parseDatabaseUrl(url)).toThrow(expect.objectContaining({ code: 'STORE_URL' }));
  });

  it('never shows a password', () => {
    expect(() => parseDatabaseUrl('mysql://root:secret@localhost/db')).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('secret') }),
    );
    expect(redactUrl('libsql://db.example.org?authToken=secret&x=1')).toBe('libsql://db.example.org?authToken=***&x=1');
  });
});
