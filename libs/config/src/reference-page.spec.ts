import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { referencePage, settings } from './index.js';

it('docs/configuration.md is what `doorledger config reference` writes today', () => {
  const page = readFileSync(join(__dirname, '../../../docs/configuration.md'), 'utf8');
  expect(page).toBe(referencePage(settings));
});

it('tells of every setting what it does, allows and defaults to, and never how a secret could be a flag', () => {
  const page = referencePage(settings);
  for (const { path, about, env } of settings)
    expect(page).toMatch(new RegExp(`## ${path.replace('.', '\\.')}\n\n${about.slice(0, 12)}[^]*?${env}`));
  expect(page).not.toMatch(/`--(key|database-url)`/);
});
