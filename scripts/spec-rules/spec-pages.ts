import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export interface Rule {
  /** A letter and a number, unique over all pages: `D10`. */
  readonly name: string;
  /** The file it stands in, such as `1-doors.md`. */
  readonly page: string;
  /** Its first words, for people. */
  readonly text: string;
}

const RULE = /^(?:- |\| *)([A-Z]\d+)\b[ |]*(.*)$/;
const PAGE = /^\d+-.*\.md$/;

/** The rules of one page: list items and table rows that begin with a rule's name. */
export function rulesOfPage(page: string, text: string): Rule[] {
  return text.split('\n').flatMap((line) => {
    const [, name, words] = RULE.exec(line) ?? [];
    return name ? [{ name, page, text: (words ?? '').replace(/[ |]+$/, '') }] : [];
  });
}

/** Every rule of the specification, in reading order. */
export function readSpec(dir: string): Rule[] {
  const pages = readdirSync(dir).filter((name) => PAGE.test(name));
  return pages.sort().flatMap((page) => rulesOfPage(page, readFileSync(join(dir, page), 'utf8')));
}
