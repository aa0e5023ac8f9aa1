// The count itself: every write to a table through the store's API in the product's sources, and every way past it. Pure: the same texts give the
// same census, in the same order.
import type { Finding } from '../framework/finding.js';
import { type PastPlace, pastTheApi } from './past-the-api.js';
import { Modules } from './reading/modules.js';
import { Types } from './reading/types.js';
import { Values } from './reading/values.js';
import { type Files, isDriver, readSources } from './sources.js';
import { judgeText, textOfDefinition } from './statement-text.js';
import { definitionsIn, isDefineStatement, readDefinition } from './statements.js';
import { tenantTables } from './tenant-tables.js';
import { renderContext, type WriteContext } from './write-context.js';
import { HOW_TO, SiteReader, type WriteSite } from './write-sites.js';

/** How the rows are split: `either` gives an organization or a reason, as the case may be; one that may give neither counts as neither. */
export const CONTEXT_KINDS = ['organizationId', 'global', 'either', 'neither', 'unreadable'] as const;
export type ContextKind = (typeof CONTEXT_KINDS)[number];

export const TENANCIES = ['tenant-scoped', 'not tenant-scoped', 'unreadable'] as const;
export type Tenancy = (typeof TENANCIES)[number];

/** One write: a call that can run several statements is several. */
export interface CensusRow {
  readonly file: string;
  readonly line: number;
  /** The function around it, for the reader of a finding; no part of what is compared. */
  readonly place: string;
  readonly call: WriteSite['call'];
  readonly label: string;
  readonly operation: string;
  readonly table: string;
  readonly tenancy: Tenancy;
  readonly contextKind: ContextKind;
  readonly context: string;
  readonly reasons: readonly string[];
}

/** A write statement that the sources define. */
export interface WriteStatement {
  readonly label: string;
  readonly operation: string;
  readonly table: string;
  readonly tenantScoped: boolean;
  readonly file: string;
  readonly line: number;
}

export interface Census {
  /** Files that were read. */
  readonly files: number;
  readonly sites: readonly WriteSite[];
  readonly rows: readonly CensusRow[];
  /** Calls that only read; they are looked at, and are no rows. */
  readonly reads: number;
  readonly statements: readonly WriteStatement[];
  readonly past: readonly PastPlace[];
  /** What cannot be parsed or read. */
  readonly findings: readonly Finding[];
  /** A file cannot be parsed, and may hold any write: the rest is no count. */
  readonly unparsable: boolean;
}

export function takeCensus(from: Files): Census {
  const { files, unparsable } = readSources(from);
  const product = files.filter((file) => !isDriver(file));
  const modules = new Modules(files);
  const values = new Values(modules, isDefineStatement);
  const found = new SiteReader(values, new Types(modules, isStore)).read(product);
  const definitions = product
    .flatMap((file) => definitionsIn(values, file))
    .map((closure) => ({ closure, text: textOfDefinition(values, closure) }));
  const { tables, findings } = tenantTables(values, product);
  const past = pastTheApi(product, { values, transactions: new Types(modules, isTransaction), definitions, run: found.run });
  const statements = definitions.flatMap(({ closure }) =>
    readDefinition(values, closure)
      .statements.filter(({ operation }) => operation !== 'select')
      .map(({ label, operation, table, file, node }) => ({
        label,
        operation,
        table,
        tenantScoped: tables.has(table),
        file: file.path,
        line: file.line(node),
      })),
  );
  return {
    files: files.length,
    sites: found.sites,
    rows: found.sites
      .flatMap((site) => rowsOf(site, tables))
      .sort(byText((row) => [row.file, row.label, row.call, row.context, row.place])),
    reads: found.reads,
    statements: statements.sort(byText(({ label, file }) => [label, file])),
    past: [...past].sort(byText(({ file, way, what }) => [file, way, what])),
    findings: [
      ...unparsable,
      ...findings,
      ...found.findings,
      ...definitions.flatMap(({ closure, text }) => [...unreadDefinition(values, closure), ...judgeText(values, closure, text)]),
    ],
    unparsable: unparsable.length > 0,
  };
}

/** The count for other programs, in one line. */
export function censusJson({ files, sites, rows, reads, statements, past }: Census): string {
  return JSON.stringify({ files, sites: sites.length, reads, rows, statements, past });
}

function rowsOf({ file, node, place, call, statements, contexts }: WriteSite, tables: ReadonlySet<string>): CensusRow[] {
  const site = {
    file: file.path,
    line: file.line(node),
    place,
    call,
    contextKind: kindOf(contexts),
    context: renderContext(contexts),
    reasons: contexts.flatMap((context) => (context.kind === 'global' ? [context.reason] : [])),
  };
  const unread = { label: 'unreadable', operation: 'unreadable', table: 'unreadable', tenancy: 'unreadable' as const };
  if (statements.length === 0) return [{ ...site, ...unread }];
  return statements.map(({ label, operation, table }) => ({
    ...site,
    label,
    operation,
    table,
    tenancy: tables.has(table) ? 'tenant-scoped' : 'not tenant-scoped',
  }));
}

export function kindOf(contexts: readonly WriteContext[]): ContextKind {
  const has = (kind: WriteContext['kind']) => contexts.some((context) => context.kind === kind);
  if (has('unreadable')) return 'unreadable';
  if (has('neither') || contexts.length === 0) return 'neither';
  if (has('organizationId') && has('global')) return 'either';
  return has('organizationId') ? 'organizationId' : 'global';
}

function unreadDefinition(values: Values, closure: Parameters<typeof readDefinition>[1]): Finding[] {
  const { file, node } = closure;
  return readDefinition(values, closure).unread.map(({ why }) => ({
    file: file.path,
    line: file.line(node),
    what: `a statement is defined whose label, operation or table cannot be read: ${why}`,
    mend: HOW_TO.definition,
  }));
}

type Declaration = { readonly path: string; readonly name: string } | { readonly from: string; readonly name: string };

function isStore(type: Declaration): boolean {
  if ('path' in type) return type.path === 'packages/contracts/src/store.ts' && type.name === 'Store';
  // The token by its own name: what it resolves to is the store.
  return type.from === '@bellhop/contracts' && (type.name === 'Store' || type.name === 'STORE');
}

function isTransaction(type: Declaration): boolean {
  if ('path' in type) return type.path === 'packages/contracts/src/transaction.ts' && type.name === 'Transaction';
  return (type.from === '@bellhop/contracts' && type.name === 'Transaction') || (type.from === 'knex' && type.name === 'Knex.Transaction');
}

/** Orders by texts, whatever the locale. */
function byText<T>(keys: (value: T) => readonly string[]): (a: T, b: T) => number {
  return (a, b) => {
    const [left, right] = [keys(a).join('\u0000'), keys(b).join('\u0000')];
    return left < right ? -1 : left > right ? 1 : 0;
  };
}
