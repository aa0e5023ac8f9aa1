// Holds a fresh count against the page, the ledger and the reasons. Pure: texts in, findings out.
import type { Finding } from '../framework/finding.js';
import type { Census } from './census.js';
import { judgeLedger, LEDGER_FILE, renderLedger } from './ledger.js';
import { quotedNumbers } from './numbers.js';
import { judgePage, PAGE_FILE, type PageContent, updatePage } from './page.js';
import { judgePast, type PastReason } from './past-reasons.js';
import { renderRegion } from './region.js';

export interface Written {
  readonly page: string | undefined;
  readonly ledger: string | undefined;
  readonly reasons: readonly PastReason[];
}

export function judgeCensus(census: Census, { page, ledger, reasons }: Written): Finding[] {
  // What cannot be parsed may hold any write: the rest of the count says nothing.
  if (census.unparsable) return census.findings.filter(({ what }) => what.startsWith('it cannot be parsed'));
  if (census.sites.length === 0) {
    return [
      ...census.findings,
      {
        file: 'packages',
        what: 'no write call was found in packages/*/src: a product that writes nothing, or a census that sees nothing',
        mend: 'Look whether the sources moved, or the store is called by another name; scripts/gates/tenant-audit-census/sources.ts and write-sites.ts say what is looked for.',
      },
    ];
  }
  return [
    ...census.findings,
    ...judgePast(census.past, reasons),
    ...judgeLedger(census, ledger),
    ...judgePage(page, contentOf(census, reasons)),
  ];
}

/** The texts that a fresh count makes, by path; none where there is nothing to count. */
export function regenerated(census: Census, { page, reasons }: Written): ReadonlyMap<string, string> {
  if (census.unparsable || census.sites.length === 0) return new Map();
  const texts = new Map([[LEDGER_FILE, renderLedger(census)]]);
  if (page !== undefined) texts.set(PAGE_FILE, updatePage(page, contentOf(census, reasons)));
  return texts;
}

function contentOf(census: Census, reasons: readonly PastReason[]): PageContent {
  return { region: renderRegion(census, reasons), numbers: quotedNumbers(census) };
}

export function summaryOf({ files, sites, rows, reads, past, unparsable }: Census): string {
  if (unparsable) return `not counted: a file cannot be parsed (${files} can)`;
  const tenant = rows.filter(({ tenancy }) => tenancy === 'tenant-scoped');
  const without = tenant.filter(({ contextKind }) => contextKind === 'neither' || contextKind === 'unreadable');
  return `${sites.length} write calls with ${rows.length} writes in ${files} files, ${tenant.length} of them to tenant-scoped tables (${without.length} without a context that can be read); ${reads} reads; ${past.length} places past the API`;
}
