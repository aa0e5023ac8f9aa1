import { describe, expect, it } from 'vitest';
import { BEGIN, END, judgePage, updatePage } from './page.js';

const content = {
  region: '\n| 3 |\n',
  numbers: new Map([
    ['sites', 3],
    ['past', 0],
  ]),
};
const number = (name: string, value: string | number) => `<!-- n:${name} -->${value}<!-- /n -->`;
const page = (before: string, region = `\n${content.region}`) => `${before}\n${BEGIN}${region}${END}\nThe end.\n`;
const good = page(`# Page\n${number('sites', 3)} and ${number('past', 0)}.`);
const judged = (text: string | undefined) => judgePage(text, content).map(({ line, what }) => `${line ?? '-'}: ${what}`);

describe('the page', () => {
  it('is right when a fresh count makes it', () => {
    expect(judged(good)).toEqual([]);
    expect(updatePage(good, content)).toBe(good);
  });

  it.each([
    ['is not there', undefined, [/^-: the page is not there/]],
    [
      'has another region',
      page(`# Page\n${number('sites', 3)} and ${number('past', 0)}.`, '\n\n| 4 |\n'),
      [/^5: the generated region reads "\| 4 \|", where a fresh count gives "\| 3 \|"/],
    ],
    ['has a region with other line ends', good.replace('| 3 |\n', '| 3 |\r\n'), [/^5: the generated region reads/]],
    ['has a region that ends too early', good.replace('| 3 |\n', ''), [/where a fresh count gives "\| 3 \|"/]],
    ['lost a marker', good.replace(BEGIN, ''), [/^6: .*0 times, the second once/]],
    ['has its markers the other way round', `${END}\n${BEGIN}\n`, [/once, the second once, before it/]],
    ['has two regions', `${good}${BEGIN}\n${END}\n`, [/^8: .*2 times, the second 2 times/]],
    ['quotes another number', good.replace('-->3<', '-->4<'), [/^2: the prose quotes sites as "4", a fresh count gives 3/]],
    ['quotes a number as text', good.replace('-->3<', '-->3 <'), [/as "3 "/]],
    ['quotes what nobody counts', good.replace('The end.', number('more', 1)), [/^7: the number "more" is none of the census/]],
    ['quotes nothing', good.replace(number('past', 0), 'none'), [/^-: the prose quotes the number past nowhere/]],
    ['quotes twice', good.replace('The end.', number('sites', 3)), [/^7: the number sites is quoted a second time/]],
    ['opens a quote', good.replace('The end.', '<!-- n:sites -->3'), [/^7: a quoted number is not closed/]],
    ['closes a quote', good.replace('The end.', '3<!-- /n -->'), [/^7: a quoted number is not closed/]],
  ])('%s: is found', (_title, text, findings) => expect(judged(text)).toEqual(findings.map((finding) => expect.stringMatching(finding))));

  it('is mended in its region and numbers, and nowhere else', () => {
    const changed = good
      .replace('-->3<', '-->44<')
      .replace('| 3 |', '| 4 |\n| 5 |')
      .replace('The end.', `The end ${number('more', 1)}.`);
    expect(updatePage(changed, content)).toBe(good.replace('The end.', `The end ${number('more', 1)}.`));
  });

  it('without a region is left alone', () => {
    const broken = good.replace(END, '').replace('-->3<', '-->44<');
    expect(updatePage(broken, content)).toBe(broken);
  });
});
