import { createHash } from 'node:crypto';

const MAX = 64;
const DIGEST = 10;
/** `server.tool` in words of letters, digits and `-`, joined by single underscores. */
const USUAL = /^[A-Za-z0-9-]+(_[A-Za-z0-9-]+)*\.[A-Za-z0-9-]+(_[A-Za-z0-9-]+)*$/;

/** Names as a model takes them, and the way back (M7). */
export interface ModelNames {
  readonly toModel: ReadonlyMap<string, string>;
  readonly fromModel: ReadonlyMap<string, string>;
}

/**
 * Maps tool names to at most 64 of `[A-Za-z0-9_-]`, injectively and the same in every process: a name that had to be changed
 * carries a digest of itself. A name whose place is taken all the same (two digests of 40 bits that agree) is left out.
 */
export function modelNames(names: Iterable<string>): ModelNames {
  const toModel = new Map<string, string>();
  const fromModel = new Map<string, string>();
  for (const name of names) {
    const mapped = modelName(name);
    if (fromModel.has(mapped)) continue;
    toModel.set(name, mapped);
    fromModel.set(mapped, name);
  }
  return { toModel, fromModel };
}

function modelName(name: string): string {
  // Two underscores stand for the dot; no name with a digest holds two in a row.
  if (name.length < MAX && USUAL.test(name)) return name.replace('.', '__');
  const digest = createHash('sha256').update(name).digest('hex').slice(0, DIGEST);
  const words = name
    .replace(/[^A-Za-z0-9-]+/g, '_')
    .slice(0, MAX - DIGEST - 1)
    .replace(/_$/, '');
  return `${words}_${digest}`;
}
