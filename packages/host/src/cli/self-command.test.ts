import { describe, expect, it } from 'vitest';
import { quoted, sameDatabaseFlags } from './self-command.js';

describe('what is printed to be pasted', () => {
  it('names the same config and database', () => {
    expect(sameDatabaseFlags({})).toBe('');
    expect(sameDatabaseFlags({ config: 'other.ts', databaseUrl: 'file:app.db', port: '1' })).toBe(
      ' --config other.ts --database-url file:app.db',
    );
  });

  it('keeps the password of a database URL to itself', () => {
    expect(sameDatabaseFlags({ databaseUrl: 'postgres://me:hunter2@db/app' })).toBe(` --database-url '<the same URL>'`);
  });

  it('is one word to a shell', () => {
    expect(quoted('a b')).toBe(`'a b'`);
    expect(quoted(`it's $HOME`)).toBe(`'it'\\''s $HOME'`);
    expect(quoted('/srv/app-1.db')).toBe('/srv/app-1.db');
  });
});
