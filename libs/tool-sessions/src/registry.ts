import { Alarm } from './alarm.js';
import type { CloseReason } from './cleanup.js';
import type { Clock } from './clock.js';
import { LiveSessions } from './live-sessions.js';
import { personFull, tierFull, type Refusal } from './refusal.js';
import type { TierLimits } from './tier-limits.js';
import { ToolSession, type ToolSessionStart } from './tool-session.js';

export interface RegistryOptions {
  readonly limits: TierLimits;
  readonly clock: Clock;
  /** Starts the teardown of one that was taken out; synchronous, never throws. */
  readonly onEnded: (session: ToolSession, reason: CloseReason) => void;
}

/** Who may stay: limits, idle time and age. Whatever ends a tool session takes it out here first, so it ends once (S1, T10). */
export class Registry {
  readonly live = new LiveSessions();
  readonly #options: RegistryOptions;
  readonly #alarm: Alarm;
  #registered = 0;

  constructor(options: RegistryOptions) {
    this.#options = options;
    this.#alarm = new Alarm(options.clock, () => {
      this.sweep();
      this.#setAlarm();
    });
  }

  /** Refused where a limit is reached and everything under it has a call in flight (T31). */
  add(start: Omit<ToolSessionStart, 'at'>): ToolSession | Refusal {
    const full = this.#makeRoom(start.person);
    if (full) return full;
    const session = new ToolSession(this.#registered++, { ...start, at: this.#options.clock.now() });
    this.live.add(session);
    this.#setAlarm();
    return session;
  }

  enter(session: ToolSession): void {
    this.live.enter(session);
  }

  leave(session: ToolSession): void {
    this.live.leave(session, this.#options.clock.now());
    this.#setAlarm();
  }

  /** Its start failed: nothing is there that could be closed. */
  forget(session: ToolSession): void {
    this.live.remove(session);
    this.#setAlarm();
  }

  /** Takes all of them out before the first cleanup starts; these start in reverse order of registration (S3). */
  end(sessions: readonly ToolSession[], reason: CloseReason): void {
    for (const session of sessions) this.live.remove(session);
    this.#setAlarm();
    for (const session of sessions.toReversed()) this.#options.onEnded(session, reason);
  }

  /** Ends what was idle for too long, then what is too old. Costs two comparisons where nothing is due. */
  sweep(): void {
    const { clock, limits } = this.#options;
    const now = clock.now();
    const { live } = this;
    if (now - (live.longestIdle?.touchedAt ?? now) < limits.idleMs && now - (live.oldest?.openedAt ?? now) < limits.maxAgeMs) return;
    const idle: ToolSession[] = [];
    for (let next = live.longestIdle; next && now - next.touchedAt >= limits.idleMs; next = next.idleAfter) idle.push(next);
    this.end(inOrderOfRegistration(idle), 'idle');
    const old: ToolSession[] = [];
    for (let next = live.oldest; next && now - next.openedAt >= limits.maxAgeMs; next = next.ageAfter) old.push(next);
    this.end(old, 'max-age');
  }

  #makeRoom(person: string | undefined): Refusal | undefined {
    const { live, perPerson } = this.#options.limits;
    if (person !== undefined && this.live.byPerson.count(person) >= perPerson) {
      return this.#evict(this.live.longestIdleOf(person), personFull);
    }
    return this.live.count >= live ? this.#evict(this.live.longestIdle, tierFull) : undefined;
  }

  #evict(session: ToolSession | undefined, otherwise: Refusal): Refusal | undefined {
    if (!session) return otherwise;
    this.end([session], 'evicted');
    return undefined;
  }

  #setAlarm(): void {
    const { longestIdle, oldest } = this.live;
    if (!oldest) return this.#alarm.clear();
    const { idleMs, maxAgeMs } = this.#options.limits;
    const tooOld = oldest.openedAt + maxAgeMs;
    this.#alarm.setBy(longestIdle ? Math.min(tooOld, longestIdle.touchedAt + idleMs) : tooOld);
  }
}

const inOrderOfRegistration = (sessions: ToolSession[]): ToolSession[] => sessions.sort((a, b) => a.place - b.place);
