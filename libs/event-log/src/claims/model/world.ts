import type { FrozenRecord } from '@doorledger/contracts';
import type { Folded, foldSession } from '../fold.js';
import { packSession } from '../pack.js';
import { emptySession, type SessionState } from '../state.js';
import { startMemory, type Memory } from './memory.js';
import type { Budget, PlanStep, Scene } from './scene.js';

/** The fold under test; `late` is by how many ms of its own clock a reader meets the record after it landed. */
export type ModelFold = (...args: [...Parameters<typeof foldSession>, late: number]) => Folded;

export interface Model {
  readonly scene: Scene;
  readonly fold: ModelFold;
  /** The fold uses `late`: worlds differ by it. */
  readonly hasClockPerReader?: true;
}

/** A record on its way or on the log, named by its event. Without `frozen` nobody can read it. */
export interface ModelRecord {
  readonly event: string;
  readonly type: string;
  readonly subject?: string;
  readonly frozen?: FrozenRecord;
  readonly text: string;
}

/** One append of a host that has not landed yet: its records land together or not at all. */
export interface Flight {
  readonly host: number;
  readonly boot: number;
  readonly records: readonly ModelRecord[];
  readonly isCopy: boolean;
}

/** A record on the log that some host has not met yet. */
export interface Entry {
  readonly record: ModelRecord;
  /** Fold time since the record before it. */
  readonly T: number;
  readonly isPast: boolean;
  readonly late: number;
  readonly folded: Folded;
}

export type Stage =
  | 'claiming' | 'queued' | 'stepping' | 'dispatching' | 'frozen' | 'finishing' | 'not-sending' | 'renewing' | 'pausing' | 'minting' | 'spending'
  | 'ending' | 'voting' | 'deciding'; // prettier-ignore

/** One caller's request on one host. */
export interface Task {
  readonly name: string;
  stage: Stage;
  turnId: string;
  plan: readonly PlanStep[];
  /** A call that was approved and comes before the plan. */
  approved?: { readonly requestId: string; readonly callId: string };
  readonly isWaiting: boolean;
  readonly key?: string;
  /** Of a decision. */
  readonly verdict?: 'approved' | 'declined';
  tries: number;
  runId?: string;
  requestId?: string;
  /** The call it dispatches, and the request that one was approved by. */
  callId?: string;
  gatedBy?: string;
  attempt: number;
  isRetried: boolean;
  /** The event it waits to meet. */
  event?: string;
  /** More than 10 s since it started that append (L2). */
  isLate: boolean;
  hasHungUp: boolean;
}

/** A record the host gave up; it undoes a standing copy at once (L7). */
export interface GivenUp {
  readonly event: string;
  readonly runId: string;
  readonly callId?: string;
  readonly attempt?: number;
}

export interface Host {
  isUp: boolean;
  boot: number;
  /** How many entries of the log it has met. */
  seen: number;
  tasks: Task[];
  givenUp: GivenUp[];
  /** Own `turn.failed {HostRestarted}` it must meet before it is ready (L13). */
  booting: string[];
}

export interface World {
  /** The state before the first entry of `log`; T is 0 there. */
  base: SessionState;
  log: Entry[];
  flight: Flight[];
  hosts: Host[];
  /** Fold time passed since the last record landed. */
  T: number;
  isPast: boolean;
  runs: number;
  requests: number;
  grantUses: number;
  budget: { -readonly [K in keyof Budget]: number };
  /** Messages, then decisions: taken or not. */
  taken: boolean[];
  answered: string[];
  hasClockStepped: boolean;
  memory: Memory;
}

export interface Move {
  readonly label: string;
  /** A step that a living system takes by itself; the others are faults and visitors. */
  readonly isOwn: boolean;
  readonly apply: (w: World) => void;
}

export const TICK = 20_000;
/** Past every lease: more age makes no difference. */
export const OLDEST = 2 * TICK;

export function startWorld({ hosts, messages, decisions, budget, grantUses }: Scene): World {
  return {
    base: emptySession,
    log: [],
    flight: [],
    hosts: Array.from({ length: hosts }, () => ({ isUp: true, boot: 0, seen: 0, tasks: [], givenUp: [], booting: [] })),
    T: 0,
    isPast: false,
    runs: 0,
    requests: 0,
    grantUses,
    budget: { ...budget },
    taken: [...messages, ...decisions].map(() => false),
    answered: [],
    hasClockStepped: false,
    memory: startMemory,
  };
}

/** A copy to change; records, entries and states are shared. */
export function copyWorld(w: World): World {
  const hosts = w.hosts.map((h) => ({ ...h, tasks: h.tasks.map((t) => ({ ...t })), givenUp: [...h.givenUp], booting: [...h.booting] }));
  return { ...w, log: [...w.log], flight: [...w.flight], hosts, budget: { ...w.budget }, taken: [...w.taken], answered: [...w.answered] };
}

/** What the whole log says. */
export const headOf = (w: World): SessionState => w.log.at(-1)?.folded.state ?? w.base;
/** What a host has met of it. */
export const viewOf = (w: World, host: number): SessionState => w.log[w.hosts[host]!.seen - 1]?.folded.state ?? w.base;

/** Equal worlds have equal keys. */
export function keyOf(w: World): string {
  const { base, log, flight, memory, ...rest } = w;
  return [
    packSession(base),
    log.map((e) => `${e.record.text}@${e.T}${e.isPast}${e.late}`).join(),
    flight.map((f) => `${f.host}.${f.boot}${f.isCopy}${f.records.map((r) => r.text).join()}`).sort().join(),
    JSON.stringify([memory, rest]),
  ].join('|'); // prettier-ignore
}
