import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file of the built console: as it is, and as browsers take it. */
export interface ConsoleFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly br?: Buffer;
  readonly gzip?: Buffer;
}

/** The console beside the built projector, or the built one of a checkout whose projector runs from its sources. */
const FOLDERS = ['../../../console/', '../../../../dist/apps/console/'];

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The built console in memory, by the path it is asked for; empty where none was built. */
export function consoleFiles(): ReadonlyMap<string, ConsoleFile> {
  const folder = FOLDERS.map((name) => fileURLToPath(new URL(name, import.meta.url))).find((name) => existsSync(join(name, 'index.html')));
  if (folder === undefined || !existsSync(join(folder, 'assets'))) return new Map();
  const files = new Map([['/', fileAt(join(folder, 'index.html'))]]);
  for (const name of readdirSync(join(folder, 'assets'))) {
    if (extname(name) in types) files.set(`/assets/${name}`, fileAt(join(folder, 'assets', name)));
  }
  return files;
}

function fileAt(path: string): ConsoleFile {
  const packed = (ending: string) => (existsSync(path + ending) ? readFileSync(path + ending) : undefined);
  const [br, gzip] = [packed('.br'), packed('.gz')];
  return { type: types[extname(path)]!, plain: readFileSync(path), ...(br && { br }), ...(gzip && { gzip }) };
}
