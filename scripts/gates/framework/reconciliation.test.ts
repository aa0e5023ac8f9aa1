import { describe, expect, it } from 'vitest';
import { derivedCommands } from './derivation.js';
import type { Gate } from './gate.js';
import { exitOf, parseRecord, reconcile } from './reconciliation.js';

const gate = (name: string, ...watches: RegExp[]): Gate => ({
  name,
  about: '',
  watches,
  measure: () => ({ findings: [], summary: '' }),
  selfTest: [],
});

describe('the gates of a change', () => {
  const gates = [gate('layers', /^packages\/[^/]+\/src\//), gate('census', /^docs\/audits\//)];

  it.each([
    ['packages/loop/src/delay.ts', ['pnpm gate layers']],
    ['docs/audits/page.md', ['pnpm gate census']],
    ['scripts/gates/census/count.ts', ['pnpm gate census']],
    ['scripts/gates/layers.ts', ['pnpm gate layers']],
    ['scripts/gates/framework/git.ts', ['pnpm gate layers', 'pnpm gate census']],
    ['README.md', []],
  ])('%s', (path, commands) => expect(derivedCommands(gates, [path])).toEqual(commands));
});

describe('a record held against what had to run', () => {
  const verdicts = (text: string, derived = ['pnpm gate layers']) => {
    const record = parseRecord(text);
    const rows = reconcile(derived, record.lines);
    return [...rows.map(({ verdict }) => verdict), exitOf(record, rows)];
  };

  it.each([
    ['pnpm gate layers :: exit 0', 'ok', 0],
    ['pnpm gate layers --base main :: exit 0', 'ok', 0],
    ['pnpm gate layers :: exit 1', 'red', 1],
    ['pnpm gate layers :: exit 3', 'not measured', 3],
    ['pnpm gate layers :: NOT-MEASURED no server here', 'not measured', 3],
    ['pnpm gate layers :: exit 2', 'unrun', 1],
    ['pnpm gate layers :: exit 124', 'unrun', 1],
    ['pnpm gate layers :: exit 137', 'unrun', 1],
    ['pnpm gate layers :: exit 143', 'unrun', 1],
    ['pnpm gate layers --self-test :: exit 0', 'unrun', 1],
    ['pnpm gate layers-of-cake :: exit 0', 'unrun', 1],
    ['# pnpm gate layers :: exit 0', 'unrun', 1],
    ['', 'unrun', 1],
  ])('%s', (text, verdict, exit) => expect(verdicts(text)).toEqual([verdict, exit]));

  it('counts a command as it ended last', () => {
    expect(verdicts('pnpm gate layers :: exit 1\npnpm gate layers :: exit 0')).toEqual(['ok', 0]);
    expect(verdicts('pnpm gate layers :: exit 0\npnpm gate layers :: exit 137')).toEqual(['unrun', 1]);
  });

  it('reports what it cannot read, and passes nothing for it', () => {
    const text = 'pnpm gate layers :: exit 0\npnpm gate other: 0\npnpm gate other :: NOT-MEASURED';
    expect(parseRecord(text).unreadable).toHaveLength(2);
    expect(verdicts(text)).toEqual(['ok', 1]);
  });
});
