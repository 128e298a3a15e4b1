import type { OpenRule } from './open-list.js';
import type { Rule } from './spec-pages.js';
import type { TestTitle } from './test-titles.js';

export interface Coverage {
  readonly rule: Rule;
  readonly state: 'kept' | 'in part' | 'not yet' | 'unaccounted';
  readonly tests: readonly TestTitle[];
}

const NAMES = /^[A-Z]\d+(?:(?:, | and |, and )[A-Z]\d+)*(?= |$)/;
const BEGINS_WITH_RULE = /^[A-Z]\d+/;

/** The rules a title names at its start: `K1 and K4 …`, `D10, D11 and D12 …`. */
export const rulesNamed = (title: string): string[] => NAMES.exec(title)?.[0].match(/[A-Z]\d+/g) ?? [];

/**
 * Lays the specification beside the tests and the list of open rules. A rule is either shown by a test or listed as open;
 * one kept in part is both. Anything else is a fault, told in a sentence.
 */
export function coverageOf(
  rules: readonly Rule[],
  titles: readonly TestTitle[],
  open: readonly OpenRule[],
): { readonly rows: Coverage[]; readonly faults: string[] } {
  const faults: string[] = [];
  const tests = new Map<string, TestTitle[]>(rules.map(({ name }) => [name, []]));
  if (tests.size < rules.length) faults.push(`The specification names a rule twice: ${twice(rules).join(', ')}.`);

  for (const test of titles) {
    const where = `${test.file}:${test.line}`;
    const named = rulesNamed(test.title);
    if (named.length === 0 && BEGINS_WITH_RULE.test(test.title))
      faults.push(`${where} does not name its rules as 'K1 and K4 …' or 'K1, K4 …'.`);
    for (const name of named) {
      const of = tests.get(name);
      if (of) of.push(test);
      else faults.push(`${where} names ${name}, which is no rule of the specification.`);
    }
  }

  if (new Set(open.map(({ name }) => name)).size < open.length) faults.push(`open.md lists a rule twice: ${twice(open).join(', ')}.`);
  const openByName = new Map(open.map((entry) => [entry.name, entry]));
  for (const { name, state, missing, line } of open) {
    const of = tests.get(name);
    if (!of) faults.push(`open.md:${line} lists ${name}, which is no rule of the specification.`);
    else if (state === 'not yet' && of.length > 0)
      faults.push(`${name} is "not yet" in open.md, but ${of[0]!.file}:${of[0]!.line} shows it.`);
    else if (state === 'in part' && of.length === 0) faults.push(`${name} is kept "in part" in open.md, but no test names it.`);
    if (missing === '') faults.push(`open.md:${line} does not say what of ${name} is missing.`);
  }

  const rows = rules.map((rule): Coverage => {
    const of = tests.get(rule.name)!;
    return { rule, tests: of, state: openByName.get(rule.name)?.state ?? (of.length > 0 ? 'kept' : 'unaccounted') };
  });
  for (const { rule, state } of rows)
    if (state === 'unaccounted') faults.push(`${rule.name} (${rule.page}) is shown by no test and not listed in docs/spec/open.md.`);
  return { rows, faults };
}

const twice = (all: readonly { readonly name: string }[]): string[] => [
  ...new Set(all.map(({ name }) => name).filter((name, at, names) => names.indexOf(name) !== at)),
];
