// Writes the published documents into the folder named on the command line, and drops schemas of facts that are gone.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { publishedDocuments } from './documents.js';

const folder = process.argv[2];
if (!folder) throw new Error('Name the folder to write to.');
rmSync(join(folder, 'schemas'), { recursive: true, force: true });
for (const [path, text] of publishedDocuments()) {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
