import type { CallContext, Scope } from '../call-context.js';
import type { Firing } from '../firing.js';
import type { TierLimits } from '../tier-limits.js';

export interface SimpleAsk {
  readonly server: string;
  readonly scope: Scope;
  readonly context: CallContext;
}

interface Entry extends SimpleAsk {
  readonly name: string;
  readonly openedAt: number;
  touchedAt: number;
  calls: number;
  inFlight: number;
  state: 'opening' | 'open' | 'ended';
  reason?: string;
  /** Calls that wait for the start, by what tells of them. */
  readonly waiting: ((answer: string) => void)[];
}

/**
 * The tier as one would write it down first: one array, everything looked for in all of it. It says which facts and answers
 * a sequence of events must give; `told` holds `type name reason`.
 */
export class SimpleTier {
  readonly entries: Entry[] = [];
  readonly told: string[] = [];
  #opened = 0;

  constructor(private readonly limits: Pick<TierLimits, 'idleMs' | 'maxAgeMs' | 'live' | 'perPerson'>) {}

  get live(): readonly Entry[] {
    return this.entries.filter(({ state }) => state !== 'ended');
  }

  /** Answers through `tell`: at once, or when the start settles. */
  open(ask: SimpleAsk, now: number, tell: (answer: string) => void): Entry | undefined {
    const { context } = ask;
    if (ask.scope === 'session' && !context.sessionId) return void tell('ERR_TOOL_SESSION_KEY');
    const found = this.live.find((entry) => sameKey(entry, ask));
    const entry = found ?? this.#add(ask, now);
    if (!entry) return void tell('ERR_TOOL_SESSIONS_FULL');
    entry.inFlight++;
    if (entry.state === 'opening') entry.waiting.push(tell);
    else this.#give(entry, tell);
    return entry;
  }

  started(entry: Entry, isWell: boolean): void {
    const isEnded = entry.state === 'ended';
    if (!isWell) {
      entry.state = 'ended';
      for (const tell of entry.waiting) tell('failed');
      return;
    }
    this.told.push(`started ${entry.name}`);
    if (isEnded) {
      this.told.push(`closed ${entry.name} ${entry.reason}`);
      for (const tell of entry.waiting) tell('ERR_TOOL_SESSION_ENDED');
      return;
    }
    entry.state = 'open';
    for (const tell of entry.waiting) this.#give(entry, tell);
  }

  release(entry: Entry, now: number): void {
    if (--entry.inFlight === 0) entry.touchedAt = now;
  }

  fire(firing: Firing): number {
    const ending = this.live.filter((entry) => ends(firing, entry));
    const reason = {
      'call-end': 'call-end',
      'turn-end': 'run-end',
      'pause-ended': 'run-end',
      'user-revoked': 'revoked',
      shutdown: 'shutdown',
    };
    this.end(ending, firing.kind === 'session-end' ? firing.reason : reason[firing.kind]);
    return ending.length;
  }

  end(ending: readonly Entry[], reason: string): void {
    for (const entry of [...ending].sort((a, b) => this.entries.indexOf(b) - this.entries.indexOf(a))) {
      if (entry.state === 'open') this.told.push(`closed ${entry.name} ${reason}`);
      entry.state = 'ended';
      entry.reason = reason;
    }
  }

  /** Lets time pass from one thing that is due to the next. */
  pass(now: number, until: number): void {
    for (let at = now; at <= until;) {
      this.end(
        this.live.filter((entry) => this.#idleAt(entry) <= at),
        'idle',
      );
      this.end(
        this.live.filter((entry) => this.#oldAt(entry) <= at),
        'max-age',
      );
      at = Math.min(...this.live.map((entry) => Math.min(this.#idleAt(entry), this.#oldAt(entry))));
    }
  }

  #idleAt = ({ inFlight, touchedAt }: Entry): number => (inFlight > 0 ? Infinity : touchedAt + this.limits.idleMs);
  #oldAt = ({ openedAt }: Entry): number => openedAt + this.limits.maxAgeMs;

  #give(entry: Entry, tell: (answer: string) => void): void {
    if (++entry.calls > 1) this.told.push(`reused ${entry.name}`);
    tell(`${entry.name} ${entry.calls}`);
  }

  #add(ask: SimpleAsk, now: number): Entry | undefined {
    const { userRef } = ask.context;
    const theirs = this.live.filter(({ context }) => userRef && context.userRef === userRef);
    const crowd = theirs.length >= this.limits.perPerson ? theirs : this.live.length >= this.limits.live ? this.live : undefined;
    if (crowd) {
      const [longestIdle] = crowd.filter(({ inFlight }) => inFlight === 0).sort((a, b) => a.touchedAt - b.touchedAt);
      if (!longestIdle) return undefined;
      this.end([longestIdle], 'evicted');
    }
    const start = {
      name: `r${++this.#opened}`,
      openedAt: now,
      touchedAt: now,
      calls: 0,
      inFlight: 0,
      state: 'opening',
      waiting: [],
    } as const;
    const entry: Entry = { ...ask, ...start, waiting: [] };
    this.entries.push(entry);
    return entry;
  }
}

function sameKey(a: SimpleAsk, b: SimpleAsk): boolean {
  const field = ({ session: 'sessionId', run: 'runId', call: 'callId', shutdown: 'callId' } as const)[a.scope];
  const isSame = (name: keyof CallContext) => a.context[name] === b.context[name];
  return a.server === b.server && a.scope === b.scope && isSame(field) && isSame('tenant') && isSame('principal');
}

function ends(firing: Firing, { scope, context }: Entry): boolean {
  switch (firing.kind) {
    case 'call-end':
      return scope === 'call' && context.callId === firing.callId;
    case 'turn-end':
    case 'pause-ended':
      return scope !== 'session' && context.turnId === firing.turnId;
    case 'session-end':
      return context.sessionRef === firing.sessionRef && (scope === 'session' || firing.reason !== 'evicted');
    case 'user-revoked':
      return context.userRef === firing.userRef;
    case 'shutdown':
      return true;
  }
}
