import type { JsonLine } from './json-lines.js';

/** How a value stands to the one at its place in an earlier call. */
export interface Difference {
  /** JSON text of the earlier value; absent for a value that was not there. */
  readonly was?: string;
  /** Of two numbers: the new one divided by the old one. */
  readonly times?: number;
}

export interface Differences {
  /** By path. */
  readonly changed: ReadonlyMap<string, Difference>;
  /** Values that only the earlier call had. */
  readonly gone: readonly JsonLine[];
  readonly count: number;
}

const numberOf = (json: string): number => Number(/^"?(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"?$/.exec(json)?.[1] ?? 'none');

function timesOf(was: string, is: string): number | undefined {
  const [before, now] = [numberOf(was), numberOf(is)];
  const times = now / before;
  return before !== 0 && Number.isFinite(times) && times > 0 ? times : undefined;
}

/** What differs between the lines of two calls' arguments, place by place; arrays by index. */
export function differences(now: readonly JsonLine[], before: readonly JsonLine[]): Differences {
  const earlier = new Map(before.flatMap((line) => (line.path === undefined ? [] : [[line.path, line] as const])));
  const changed = new Map<string, Difference>();
  const met = new Set<string>();
  for (const { path, value } of now) {
    if (path === undefined) continue;
    met.add(path);
    const was = earlier.get(path)?.value;
    if (was === value) continue;
    const times = was === undefined ? undefined : timesOf(was, value);
    changed.set(path, { ...(was !== undefined && { was: wholeOf(was) }), ...(times !== undefined && { times }) });
  }
  const gone = before.filter(({ path, value }) => path !== undefined && !met.has(path) && value !== '{' && value !== '[');
  // An added object is said once for each value in it, and not for its bracket too.
  const added = now.filter(
    ({ path, value }) => path !== undefined && changed.get(path)?.was === undefined && changed.has(path) && isBracket(value),
  );
  for (const { path } of added) changed.delete(path!);
  return { changed, gone, count: changed.size + gone.length };
}

const isBracket = (value: string): boolean => value === '{' || value === '[';
const wholeOf = (value: string): string => (value === '{' ? '{…}' : value === '[' ? '[…]' : value);
