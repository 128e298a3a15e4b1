/** A rule the code does not keep, or keeps in part only, as `docs/spec/open.md` lists it. */
export interface OpenRule {
  readonly name: string;
  readonly state: 'not yet' | 'in part';
  /** What is missing. */
  readonly missing: string;
  readonly line: number;
}

const ROW = /^\| *([A-Z]\d+) *\| *(not yet|in part) *\| *(.*?) *\|$/;
const ANY_ROW = /^\| *[A-Z]\d+\b/;

/** Reads the table rows `| D10 | not yet | what is missing |`; a row of another shape is returned as a fault. */
export function readOpenList(text: string): { readonly open: OpenRule[]; readonly faults: string[] } {
  const open: OpenRule[] = [];
  const faults: string[] = [];
  for (const [at, line] of text.split('\n').entries()) {
    const [, name, state, missing] = ROW.exec(line) ?? [];
    if (name) open.push({ name, state: state as OpenRule['state'], missing: missing!, line: at + 1 });
    else if (ANY_ROW.test(line)) faults.push(`open.md:${at + 1} is not of the form | D10 | not yet or in part | what is missing |`);
  }
  return { open, faults };
}
