import { hash } from 'node:crypto';
import { word } from '../testing/history.js';
import { complaints, settleViews } from './log.js';
import { applied, movesOf } from './moves.js';
import { headOf, keyOf, startWorld, type Model, type World } from './world.js';

export interface Bad {
  /** A class in capitals, then the case. */
  readonly what: string;
  /** The shortest way there. */
  readonly history: readonly string[];
}

export interface Found {
  readonly states: number;
  readonly isExhausted: boolean;
  /** The first of each class. */
  readonly bad: readonly Bad[];
}

export interface SearchLimits {
  readonly maxStates: number;
  readonly maxMs?: number;
  /** Stop at the first bad state. */
  readonly isFirstEnough?: boolean;
}

/**
 * Searches every history of a scene, breadth first, so that the first bad state of a class has the shortest history. Equal
 * worlds are searched once; worlds are told apart by a hash of 160 bits. When the whole scene was searched, a state from which
 * no step of a living system leads to rest is bad too (`STUCK`).
 */
export function search(model: Model, { maxStates, maxMs = Infinity, isFirstEnough = false }: SearchLimits): Found {
  const graph = new Graph();
  const bad = new Map<string, Bad>();
  const report = (what: string, at: number): void => {
    const kind = what.split(' ')[0]!;
    if (!bad.has(kind)) bad.set(kind, { what, history: replay(model, graph.movesTo(at)) });
  };
  const start = startWorld(model.scene);
  let level: [number, World][] = [[graph.add(keyOf(start), -1, -1)!, start]];
  graph.markAtRest(0);
  const until = performance.now() + maxMs;
  let isExhausted = true;
  while (level.length && isExhausted) {
    const next: [number, World][] = [];
    for (const [from, world] of level) {
      movesOf(model, world).forEach((move, m) => {
        const to = applied(world, move);
        settleViews(model, to);
        const key = keyOf(to);
        const id = graph.add(key, from, m);
        if (move.isOwn) graph.link(from, id ?? graph.idOf(key)!);
        if (id === undefined) return;
        const { violation } = to.memory;
        if (violation) report(violation, id);
        const complained = violation || !isAtRest(to) ? [] : complaints(model, to);
        for (const c of complained) report(c, id);
        if (violation || isAtRest(to) || to.hosts.every((h) => !h.isUp)) graph.markAtRest(id);
        if (!violation) next.push([id, to]);
      });
      if (graph.size > maxStates || performance.now() > until || (isFirstEnough && bad.size)) {
        isExhausted = false;
        break;
      }
    }
    level = next;
  }
  const stuck = isExhausted ? graph.firstThatNeverRests() : undefined;
  if (stuck !== undefined) report('STUCK nothing of its own leads the system to rest from here', stuck);
  return { states: graph.size, isExhausted, bad: [...bad.values()] };
}

/** Nobody owes anybody anything. */
function isAtRest(w: World): boolean {
  if (w.hosts.some((h) => h.isUp && (h.tasks.length || h.booting.length))) return false;
  const { isClosed, run, waiting } = headOf(w);
  return isClosed || (!run && !waiting.length);
}

/** The labels along a way, each landing with its verdict and who holds the session then. */
function replay(model: Model, moves: readonly number[]): string[] {
  let world = startWorld(model.scene);
  return moves.map((m) => {
    const move = movesOf(model, world)[m]!;
    const next = applied(world, move);
    const entry = next.log.length > world.log.length ? next.log.at(-1) : undefined;
    settleViews(model, next);
    world = next;
    if (!entry) return move.label;
    const { run, waiting, paused } = entry.folded.state;
    const holds = [
      run && `${run.runId} stands`,
      waiting.length && `${waiting.map((w) => w.runId).join()} wait`,
      paused && `${paused.requestId} pending`,
    ];
    return `${move.label}: ${word(entry.folded.verdict)} [${holds.filter(Boolean).join(', ') || 'free'}]`;
  });
}

const hashOf = (key: string): string => hash('sha1', key, 'base64');

/** The states met, how each was first reached, and which lead to rest. */
class Graph {
  readonly #ids = new Map<string, number>();
  readonly #from: number[] = [];
  readonly #move: number[] = [];
  readonly #resting: number[] = [];
  readonly #backLinks: number[][] = [];

  get size(): number {
    return this.#from.length;
  }

  /** The new state's id; undefined when it is known. */
  add(key: string, from: number, move: number): number | undefined {
    const hash = hashOf(key);
    if (this.#ids.has(hash)) return undefined;
    const id = this.#from.length;
    this.#ids.set(hash, id);
    this.#from.push(from);
    this.#move.push(move);
    this.#backLinks.push([]);
    return id;
  }

  idOf(key: string): number | undefined {
    return this.#ids.get(hashOf(key));
  }

  link(from: number, to: number): void {
    this.#backLinks[to]!.push(from);
  }

  markAtRest(id: number): void {
    this.#resting.push(id);
  }

  movesTo(id: number): number[] {
    const moves: number[] = [];
    for (let at = id; this.#from[at]! >= 0; at = this.#from[at]!) moves.push(this.#move[at]!);
    return moves.reverse();
  }

  firstThatNeverRests(): number | undefined {
    const rests = new Uint8Array(this.size);
    const open = [...this.#resting];
    for (const id of open) rests[id] = 1;
    for (let id = open.pop(); id !== undefined; id = open.pop())
      for (const from of this.#backLinks[id]!) {
        if (rests[from]) continue;
        rests[from] = 1;
        open.push(from);
      }
    const first = rests.indexOf(0);
    return first < 0 ? undefined : first;
  }
}
