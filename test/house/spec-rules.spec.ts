import { coverageOf, rulesNamed } from '../../scripts/spec-rules/coverage.js';
import { readOpenList } from '../../scripts/spec-rules/open-list.js';
import { rulesOfPage } from '../../scripts/spec-rules/spec-pages.js';
import { titlesOf } from '../../scripts/spec-rules/test-titles.js';

const page = `# A page
| # | rule |
|---|---|
| D1 | The one door. |
- K1 Positions. - K9 is not at the start
Text that mentions K2.
- K2 Order (K1).
`;
const rules = rulesOfPage('1-page.md', page);

const judge = (tests: string, open = '') => coverageOf(rules, titlesOf('a.spec.ts', tests), readOpenList(open).open);
const titles = (tests: string) => titlesOf('a.spec.ts', tests).map(({ title }) => title);

describe('the rules of a page', () => {
  it('finds list items and table rows that begin with a rule, and no mention of one', () => {
    expect(rules.map(({ name }) => name)).toEqual(['D1', 'K1', 'K2']);
    expect(rules[0]).toEqual({ name: 'D1', page: '1-page.md', text: 'The one door.' });
  });
});

describe('the titles of a file', () => {
  it('finds tests however they are written', () => {
    const tests = `
      describe('K1 group', () => { it('plain', () => {}); test("double", f); });
      it(\`template \${x}\`, f); it('sum ' + x, f);
      it.each([1])('each %s', f); it.each\`a\${1}\`('tagged', f);
      it.only('only', f); (here ? it : it.skip)('conditional', f);
      for (const n of all) it('in a loop', f);`;
    expect(titles(tests)).toEqual(['plain', 'double', 'template ', 'sum ', 'each %s', 'tagged', 'only', 'conditional', 'in a loop']);
  });

  it('leaves out what does not run or may not pass', () => {
    const tests = `it.skip('a', f); it.todo('b'); xit('c', f); it.failing('d', f); it.skip.each([1])('e', f);
      describe.skip('g', () => { it('f', f); }); xdescribe('h', () => it('i', f));
      // it('j', f)
      const text = "it('k', f)"; expect.it('l'); split('m');`;
    expect(titles(tests)).toEqual([]);
  });
});

describe('the rules a title names', () => {
  it.each([
    ['K1 keeps order', ['K1']],
    ['K1 and K2 keep order', ['K1', 'K2']],
    ['D1, K1 and K2 hold', ['D1', 'K1', 'K2']],
    ['D1, K1, and K2 hold', ['D1', 'K1', 'K2']],
    ['keeps K1', []],
    ['UTF8 is read', []],
  ])('%s', (title, named) => expect(rulesNamed(title)).toEqual(named));
});

describe('the coverage', () => {
  const all = "it('D1 a', f); it('K1 and K2 b', f);";

  it('has no fault where each rule is shown or open', () => {
    const { rows, faults } = judge("it('D1 a', f); it('K1 b', f);", '| K1 | in part | the rest |\n| K2 | not yet | all of it |');
    expect(faults).toEqual([]);
    expect(rows.map(({ state }) => state)).toEqual(['kept', 'in part', 'not yet']);
  });

  it.each([
    ['a rule in neither place', judge("it('D1 a', f); it('K1 b', f);"), 'K2 (1-page.md) is shown by no test'],
    ['a rule in both places', judge(all, '| K2 | not yet | it |'), 'K2 is "not yet" in open.md, but a.spec.ts:1 shows it'],
    ['a part that no test shows', judge("it('D1, K1 a', f)", '| K2 | in part | it |'), 'K2 is kept "in part" in open.md, but no test'],
    ['an unknown rule in a title', judge(`${all} it('K7 c', f)`), 'names K7, which is no rule'],
    ['an unknown open rule', judge(all, '| K7 | not yet | it |'), 'open.md:1 lists K7, which is no rule'],
    ['a range in a title', judge(`${all} it('K1–K2 c', f)`), "does not name its rules as 'K1 and K4 …'"],
    ['an open rule without a word', judge(all, '| K1 | in part |  |'), 'does not say what of K1 is missing'],
    ['an open rule listed twice', judge(all, '| K1 | in part | a |\n| K1 | in part | b |'), 'lists a rule twice: K1'],
    ['a rule shown by a skipped test only', judge("it('D1, K1 a', f); it.skip('K2 b', f)"), 'K2 (1-page.md) is shown by no test'],
  ])('reports %s, and nothing else', (_, { faults }, sentence) => {
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(sentence);
  });

  it('reports a rule the specification names twice', () => {
    expect(coverageOf([...rules, rules[0]!], titlesOf('a.spec.ts', all), []).faults).toEqual(['The specification names a rule twice: D1.']);
  });

  it('reports a row of the open list that it cannot read', () => {
    expect(readOpenList('| K1 | later | it |').faults).toEqual([expect.stringContaining('open.md:1 is not of the form')]);
    expect(readOpenList('| rule | state | what is missing |\n|---|---|---|').faults).toEqual([]);
  });
});
