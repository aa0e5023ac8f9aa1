// Which tables are tenant-scoped: those that a migration set declares, or that are registered with the audit.
import type { Node } from 'oxc-parser';
import type { Finding } from '../framework/finding.js';
import { keyName } from './reading/bindings.js';
import { inFile } from './reading/closure.js';
import type { SourceFile } from './reading/source-file.js';
import { textsOf } from './reading/texts.js';
import type { Values } from './reading/values.js';

export interface TenantTables {
  readonly tables: ReadonlySet<string>;
  readonly findings: readonly Finding[];
}

export function tenantTables(values: Values, files: readonly SourceFile[]): TenantTables {
  const tables = new Set<string>();
  const findings: Finding[] = [];
  for (const file of files) {
    for (const node of file.nodes) {
      const declared = declaration(file, node);
      if (!declared) continue;
      const read = values.of(inFile(file, declared)).map((value) => {
        if (value.kind !== 'written' || value.node.type !== 'ArrayExpression') return undefined;
        const each = value.node.elements.map((element) => element && textsOf(values, { ...value, node: element }));
        return each.every((texts) => texts?.unread.length === 0) ? each.flatMap((texts) => texts?.texts ?? []) : undefined;
      });
      if (read.includes(undefined)) {
        findings.push({
          file: file.path,
          line: file.line(declared),
          what: 'the tenant-scoped tables that are declared here cannot be read',
          mend: 'Write their names as an array of texts.',
        });
      }
      for (const table of read.flat()) if (table !== undefined) tables.add(table);
    }
  }
  return { tables, findings };
}

/** `tenantTables: …` of an object, or what is given to `audit.register(…)`; the store's own registration of what a set declares is neither. */
function declaration(file: SourceFile, node: Node): Node | undefined {
  if (node.type === 'Property') {
    const isValue = file.parent(node)?.type === 'ObjectExpression' && !node.computed;
    return isValue && keyName(node.key) === 'tenantTables' ? node.value : undefined;
  }
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression' || file.path.startsWith('packages/store/src/'))
    return undefined;
  const { object, property } = node.callee;
  const ofAudit = object.type === 'MemberExpression' && keyName(object.property) === 'audit' && keyName(property) === 'register';
  return ofAudit ? node.arguments[0] : undefined;
}
