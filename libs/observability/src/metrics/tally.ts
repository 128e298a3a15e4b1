/** Series of one counter; what comes past it is counted together, so that a scrape stays small whatever is sent. */
const MOST_SERIES = 1000;
const OTHER = 'other';

class Node {
  count = 0;
  readonly next = new Map<string, Node>();
}

/** Counts by up to three label values. Adding to a series that is there allocates nothing: a flood of refusals passes here. */
export class Tally {
  readonly #root = new Node();
  #series = 0;

  constructor(readonly labels: number) {}

  add(first = '', second = '', third = ''): void {
    const node = this.#find(first, second, third) ?? this.#find(OTHER, this.labels > 1 ? OTHER : '', this.labels > 2 ? OTHER : '', true);
    node!.count++;
  }

  /** Label values and count of each series. */
  *series(): Iterable<{ readonly values: readonly string[]; readonly count: number }> {
    yield* seriesUnder(this.#root, [], this.labels);
  }

  #find(first: string, second: string, third: string, isForced = false): Node | undefined {
    let node: Node | undefined = this.#root;
    if (this.labels > 0) node = this.#step(node, first, this.labels === 1, isForced);
    if (this.labels > 1 && node) node = this.#step(node, second, this.labels === 2, isForced);
    if (this.labels > 2 && node) node = this.#step(node, third, true, isForced);
    return node;
  }

  #step(from: Node, value: string, isLast: boolean, isForced: boolean): Node | undefined {
    const known = from.next.get(value);
    if (known) return known;
    if (this.#series >= MOST_SERIES && !isForced) return undefined;
    const made = new Node();
    from.next.set(value, made);
    if (isLast) this.#series++;
    return made;
  }
}

function* seriesUnder(node: Node, values: readonly string[], depth: number): Iterable<{ values: readonly string[]; count: number }> {
  if (depth === 0) {
    if (node.count > 0) yield { values, count: node.count };
    return;
  }
  for (const [value, next] of node.next) yield* seriesUnder(next, [...values, value], depth - 1);
}
