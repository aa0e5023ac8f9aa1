// Page and ledger that are not what a fresh count makes, and what `--write` can mend of them.
import type { SelfTestCase } from '../../framework/gate.js';
import { LEDGER_FILE } from '../ledger.js';
import { BEGIN, END, PAGE_FILE } from '../page.js';
import { PRODUCT, pageWith } from './fixture-product.js';
import { goesRed, staysGreen } from './toy-case.js';

export const PAGE_CASES: readonly SelfTestCase[] = [
  goesRed(
    'a number of the prose that was changed by hand',
    pageWith((page) => page.replace(/(n:sites -->)\d+/, '$140')),
    /census\.md:3: the prose quotes sites as "40", a fresh count gives 3/,
  ),
  goesRed(
    'a number that the census does not have',
    pageWith((page) => page.replace('n:sites', 'n:calls')),
    /"calls" is none of the census[\s\S]*quotes the number sites nowhere/,
  ),
  goesRed(
    'a number that is quoted twice',
    pageWith((page) => page.replace('The end.', 'The end: <!-- n:sites -->3<!-- /n -->.')),
    /the number sites is quoted a second time/,
  ),
  goesRed(
    'a number that is not closed',
    pageWith((page) => page.replace('The end.', 'The end: <!-- n:sites -->3.')),
    /not closed, or not opened/,
  ),
  goesRed(
    'a region that was changed by hand',
    pageWith((page) => page.replace('| 3 |', '| 4 |')),
    /census\.md:\d+: the generated region reads/,
  ),
  goesRed(
    'no region',
    pageWith((page) => page.replace(BEGIN, '')),
    /the first marker occurs 0 times, the second once/i,
  ),
  goesRed(
    'two regions',
    pageWith((page) => `${page}\n${BEGIN}\n${END}\n`),
    /occurs 2 times/,
  ),
  goesRed('no page', { [PAGE_FILE]: null }, /census\.md: the page is not there/),
  goesRed('no ledger', { [LEDGER_FILE]: null }, /ledger\.md: the ledger is not there/),
  goesRed(
    'a ledger that was changed by hand',
    { [LEDGER_FILE]: PRODUCT[LEDGER_FILE]!.replace('organizationId', 'global "x"') },
    /ledger\.md:\d+: the sources hold no such write/,
  ),
  goesRed('a ledger with a line more', { [LEDGER_FILE]: `${PRODUCT[LEDGER_FILE]}\n` }, /ledger\.md:\d+: reads/),
  staysGreen(
    '--write after edits by hand',
    { ...pageWith((page) => page.replace(/(n:sites -->)\d+/, '$140').replace('| 3 |', '| 4 |')), [LEDGER_FILE]: null },
    { args: ['--write'] },
  ),
  goesRed(
    '--write where there is no region to write',
    pageWith((page) => page.replace(END, '')),
    /second 0 times/,
    { args: ['--write'] },
  ),
  staysGreen(
    'prose that says it in other words',
    pageWith((page) => page.replace('The end.', 'This is all.')),
  ),
];
