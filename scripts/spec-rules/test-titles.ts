import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

export interface TestTitle {
  readonly file: string;
  readonly line: number;
  readonly title: string;
}

/** Contract suites hold tests too: an adapter's spec calls them. */
const TEST_FILE = /\.(spec|contract)\.ts$/;

/**
 * The titles of the tests of one file that run: `it(…)`, `test(…)`, `it.each(…)(…)`, and those that a condition picks.
 * Skipped, todo and expected-to-fail ones show nothing and are left out, and so is everything in a skipped group.
 */
export function titlesOf(file: string, text: string): TestTitle[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const titles: TestTitle[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const called = calledName(node.expression);
      if (/^x?describe\b/.test(called) && !runs(called)) return;
      const [first] = node.arguments;
      const title = first && /^(it|test)\b/.test(called) && runs(called) ? literalStart(first) : undefined;
      if (title !== undefined) titles.push({ file, line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1, title });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return titles;
}

const runs = (called: string): boolean => !/^x|\.(skip|todo|failing)\b/.test(called);

/** `it.each` of `it.each([…])('…')`; of a choice such as `(here ? it : it.skip)` the first. */
function calledName(called: ts.Expression): string {
  if (ts.isIdentifier(called)) return called.text;
  if (ts.isPropertyAccessExpression(called)) return `${calledName(called.expression)}.${called.name.text}`;
  if (ts.isCallExpression(called)) return calledName(called.expression).endsWith('.each') ? calledName(called.expression) : '';
  if (ts.isTaggedTemplateExpression(called)) return calledName(called.tag);
  if (ts.isParenthesizedExpression(called)) return calledName(called.expression);
  if (ts.isConditionalExpression(called)) return calledName(called.whenTrue);
  return '';
}

/** What a title surely begins with: text, a template's head, or the left end of a sum. */
function literalStart(title: ts.Expression): string | undefined {
  if (ts.isStringLiteralLike(title)) return title.text;
  if (ts.isTemplateExpression(title)) return title.head.text;
  return ts.isBinaryExpression(title) ? literalStart(title.left) : undefined;
}

/** Every running test's title below these folders of `root`. */
export function readTitles(root: string, folders: readonly string[]): TestTitle[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && TEST_FILE.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .flatMap((path) => titlesOf(relative(root, path), readFileSync(path, 'utf8'))),
  );
}
