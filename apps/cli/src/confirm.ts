import { createInterface } from 'node:readline/promises';
import { DoorledgerError } from '@doorledger/contracts';
import type { Options } from './command-line.js';

/** A machine says its word on the command line, a person in a terminal too. @throws DoorledgerError `ERR_NOT_CONFIRMED` */
export async function confirm(options: Options, word: string): Promise<void> {
  if (options.yesIKnow === true) return;
  if (process.stdin.isTTY) {
    const terminal = createInterface({ input: process.stdin, output: process.stderr });
    const said = await terminal.question(`Type "${word}" to go on: `).finally(() => terminal.close());
    if (said.trim() === word) return;
  }
  throw new DoorledgerError('ERR_NOT_CONFIRMED', `Nothing was written. To go on, say so: doorledger ${word} --yes-i-know.`);
}
