import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

/** Keeps what the processes of a cluster say on stderr in `words.log` of a folder. */
export const wordsIn =
  (dir: string) =>
  (name: string, text: string): void =>
    appendFileSync(join(dir, 'words.log'), text.replace(/^(?=.)/gm, `${name}: `));
