import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder, and those above it that are missing. Node's own `recursive` asks for ever in a folder that takes none, as those of `/proc`
 * do: it hears that the one above is not there, and finds it.
 */
export function makeFolder(dir: string): void {
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return;
  const above = dirname(resolve(dir));
  if (!existsSync(above)) makeFolder(above);
  try {
    mkdirSync(dir);
  } catch (error) {
    // Of two first starts at once both use the same one.
    if (!statSync(dir, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
