import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(__dirname, '../..');
const pagesIn = (folder: string) => readdirSync(join(root, folder)).flatMap((name) => (name.endsWith('.md') ? [join(folder, name)] : []));
const pages = ['.', 'docs', 'docs/analytics', 'docs/guides', 'docs/spec'].flatMap(pagesIn);

/** The relative links of a page that lead nowhere. */
function brokenLinks(page: string, text: string): string[] {
  const targets = [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, target]) => target!);
  return targets.filter((target) => !/^[a-z]+:/.test(target) && !existsSync(join(root, dirname(page), target)));
}

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
const unknownScripts = (text: string) =>
  [...text.matchAll(/\bnpm run (?:-s )?([a-z:]+)/g)].map(([, name]) => name!).filter((name) => !(name in scripts));

it.each(pages)('%s links to files that are there and names npm scripts that exist', (page) => {
  const text = readFileSync(join(root, page), 'utf8');
  expect(brokenLinks(page, text)).toEqual([]);
  expect(unknownScripts(text)).toEqual([]);
});

it('reports a link that leads nowhere, and a script that does not exist', () => {
  const page = '[a](nowhere.md#part) [b](README.md) [c](https://example.org/x) [d](spec/1-doors.md)';
  expect(brokenLinks('docs/README.md', page)).toEqual(['nowhere.md']);
  expect(unknownScripts('`npm run unit -- libs`, `npm run nothing`')).toEqual(['nothing']);
});
