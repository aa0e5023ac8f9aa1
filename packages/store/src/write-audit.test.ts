import type { Operation, WriteScope } from '@bellhop/contracts';
import type { Logger } from '@bellhop/kernel';
import { describe, expect, it } from 'vitest';
import { WriteAudit } from './write-audit.js';

function audit(posture: 'single' | 'group' | 'isolated') {
  const warnings: unknown[] = [];
  const logger: Logger = { debug() {}, info() {}, error() {}, warn: (fields) => warnings.push(fields), child: () => logger };
  const watching = new WriteAudit(posture, logger);
  watching.register(['note']);
  return { watching, warnings };
}

describe('the audit of writes', () => {
  it.each(['isolated', 'group'] as const)(
    '[tenant-audit] %s: a write with neither an organization nor a reason is a finding, warned once, counted each time',
    (posture) => {
      const { watching, warnings } = audit(posture);
      for (const operation of ['insert', 'update', 'delete'] as const) {
        watching.check('note', operation, undefined);
        watching.check('note', operation, undefined);
      }
      const finding = (operation: Operation) => ({ table: 'note', operation, count: 2 });
      expect(watching.findings()).toEqual([finding('insert'), finding('update'), finding('delete')]);
      const warning = (operation: Operation) => ({ table: 'note', operation, posture });
      expect(warnings).toEqual([warning('insert'), warning('update'), warning('delete')]);
    },
  );

  it.each<[string, WriteScope]>([
    ['an organization', { organizationId: 'acme' }],
    ['several organizations', { organizationId: ['acme', 'umbrella'] }],
    ['a reason', { global: 'a sweep over all organizations' }],
  ])('[tenant-audit] a write that names %s is no finding', (_title, scope) => {
    const { watching } = audit('isolated');
    watching.check('note', 'insert', scope);
    expect(watching.findings()).toEqual([]);
  });

  it.each<[string, WriteScope]>([
    ['an empty organization', { organizationId: '' }],
    ['an empty organization among others', { organizationId: ['acme', ''] }],
    ['an empty reason', { global: '' }],
  ])('[tenant-audit] a write that names %s is a finding', (_title, scope) => {
    const { watching } = audit('isolated');
    watching.check('note', 'insert', scope);
    expect(watching.findings()).toHaveLength(1);
  });

  it('[tenant-audit] a write to a table that is nobody’s is no finding (control: the same to a tenant’s table is)', () => {
    const { watching } = audit('isolated');
    watching.check('settings', 'insert', undefined);
    expect(watching.findings()).toEqual([]);
    watching.check('note', 'insert', undefined);
    expect(watching.findings()).toHaveLength(1);
  });

  it('[tenant-audit] a read is no finding', () => {
    const { watching } = audit('isolated');
    watching.check('note', 'select', undefined);
    expect(watching.findings()).toEqual([]);
  });

  it('[tenant-audit] single: nothing is a finding', () => {
    const { watching, warnings } = audit('single');
    watching.check('note', 'insert', undefined);
    expect([watching.findings(), warnings]).toEqual([[], []]);
  });
});
