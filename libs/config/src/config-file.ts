import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { isAlias, isMap, isScalar, LineCounter, parseDocument, type Document, type Node } from 'yaml';
import { nearest } from './nearest.js';
import type { SettingInfo } from './setting.js';
import type { Sourced, SourcedValues } from './sourced.js';

export const CONFIG_FILE = 'doorledger.config.yaml';

export interface ConfigFile {
  readonly values: SourcedValues;
  readonly problems: readonly string[];
}

const NOTHING: ConfigFile = { values: new Map(), problems: [] };

/**
 * Reads the configuration file. Without `named` it is `doorledger.config.yaml` in `cwd`, which may be absent; a named one may not.
 * Problems name the file and the line, never a value: the parser's own messages quote the text around a mistake.
 */
export function readConfigFile(cwd: string, named: string | undefined, settings: readonly SettingInfo[]): ConfigFile {
  const path = resolve(cwd, named ?? CONFIG_FILE);
  let source: string;
  try {
    source = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && named === undefined) return NOTHING;
    const why = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`;
    return { ...NOTHING, problems: [`The configuration file ${named ?? CONFIG_FILE} ${why}.`] };
  }
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false });
  const file = basename(path);
  if (document.errors.length > 0)
    return {
      ...NOTHING,
      problems: document.errors.map(({ pos, code }) => `Line ${lines.linePos(pos[0]).line} of ${file} is not valid YAML (${code}).`),
    };
  return new FileReader(file, lines, document, settings).read();
}

class FileReader {
  readonly #values = new Map<string, Sourced>();
  readonly #problems: string[] = [];
  readonly #paths: ReadonlySet<string>;

  constructor(
    readonly file: string,
    readonly lines: LineCounter,
    readonly document: Document,
    settings: readonly SettingInfo[],
  ) {
    this.#paths = new Set(settings.map((setting) => setting.path));
  }

  read(): ConfigFile {
    const root = this.document.contents;
    if (isMap(root)) this.#map(root, '');
    else if (root !== null && !(isScalar(root) && root.value === null)) this.#problems.push(`${this.file} must hold \`key: value\` lines.`);
    return { values: this.#values, problems: this.#problems };
  }

  #map(map: Node, prefix: string): void {
    if (!isMap<unknown, Node | null>(map)) return;
    for (const { key, value } of map.items) {
      const name = isScalar(key) ? String(key.value) : '';
      const path = prefix + name;
      const where = `line ${this.#line(key)} of ${this.file}`;
      const node = isAlias(value) ? value.resolve(this.document) : value;
      if (this.#paths.has(path)) this.#value(path, node, where);
      else if (!this.#isSection(path)) this.#problems.push(this.#unknown(path, where));
      else if (isMap(node)) this.#map(node, `${path}.`);
      else if (!(isScalar(node) && node.value === null))
        this.#problems.push(`${path} must hold settings of its own, indented below it (${where}).`);
    }
  }

  #value(path: string, node: Node | null | undefined, origin: string): void {
    try {
      this.#values.set(path, { value: (node?.toJS(this.document) as unknown) ?? null, origin });
    } catch {
      // The parser counts how far aliases multiply, and stops.
      this.#problems.push(`${path} repeats an alias too often (${origin}).`);
    }
  }

  #line(node: unknown): number {
    const range = (node as Node | null)?.range;
    return range ? this.lines.linePos(range[0]).line : 1;
  }

  #isSection(path: string): boolean {
    return [...this.#paths].some((known) => known.startsWith(`${path}.`));
  }

  #unknown(path: string, where: string): string {
    const shown = path.replace(/[^\x21-\x7e]/g, '?').slice(0, 60);
    const near = nearest(path, this.#paths);
    return `There is no setting ${shown || 'of that name'} (${where})${near ? `; did you mean ${near}?` : '.'}`;
  }
}
