import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Parser } from '@asyncapi/parser';
import { publishedDocuments } from './documents.js';
import { factByType } from '../facts/index.js';
import { schemaFileOf } from './json-schema.js';

const folder = join(__dirname, '../../../../docs/contracts');
const files = () =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));

it('spec 9 publishes a schema for every fact and one AsyncAPI document', () => {
  const expected = ['asyncapi.json', ...[...factByType.keys()].map(schemaFileOf)];
  expect([...publishedDocuments().keys()].sort()).toEqual(expected.sort());
});

it('spec 9 keeps docs/contracts as the code says (npm run contracts writes it anew)', () => {
  const published = publishedDocuments();
  expect(files().sort()).toEqual([...published.keys()].sort());
  for (const [path, text] of published) expect([path, readFileSync(join(folder, path), 'utf8')]).toEqual([path, text]);
});

describe('the AsyncAPI parser', () => {
  const text = publishedDocuments().get('asyncapi.json')!;
  const problems = async (source: string) => (await new Parser().validate(source)).filter(({ severity }) => Number(severity) === 0);

  it('spec 9 accepts the document', async () => {
    expect(await problems(text)).toEqual([]);
  });

  it('spec 9 refuses one whose operation names a channel that is not there', async () => {
    expect(await problems(text.replace('#/channels/doorledger-session-v1', '#/channels/nowhere'))).not.toEqual([]);
  });
});
