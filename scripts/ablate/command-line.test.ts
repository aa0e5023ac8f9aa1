import { describe, expect, it } from 'vitest';
import { UsageError } from '../gates/framework/refusals.js';
import { DEFAULT_WORKERS, parseCommand } from './command-line.js';

describe('the command line', () => {
  it.each([
    ['L4 L8', { mode: 'ids', ids: ['L4', 'L8'], json: false }],
    ['--json L4', { mode: 'ids', ids: ['L4'], json: true }],
    ['--all', { mode: 'all', record: false, workers: DEFAULT_WORKERS, json: false }],
    ['--all --record --workers 3 --json', { mode: 'all', record: true, workers: 3, json: true }],
    ['--changed', { mode: 'changed', base: undefined, workers: DEFAULT_WORKERS, json: false }],
    ['--changed --base v1.0.0', { mode: 'changed', base: 'v1.0.0', workers: DEFAULT_WORKERS, json: false }],
    ['--list', { mode: 'list' }],
    ['--self-test', { mode: 'self-test' }],
  ])('%s', (line, command) => expect(parseCommand(line.split(' '))).toEqual(command));

  it.each([
    ['nothing', ''],
    ['two modes', '--all --list'],
    ['ids and a mode', 'L4 --all'],
    ['an unknown flag', '--al'],
    ['a base for nothing', 'L4 --base main'],
    ['a record of less than all', '--changed --record'],
    ['workers for nothing', 'L4 --workers 2'],
    ['workers that are no number', '--all --workers two'],
    ['no workers', '--all --workers 0'],
    ['--json where nothing runs', '--list --json'],
  ])('with %s is refused', (_, line) => expect(() => parseCommand(line.split(' ').filter(Boolean))).toThrow(UsageError));
});
