import { createHash } from 'node:crypto';
import type { Fact, FactData } from '@doorledger/contracts';
import type { StoredRecord } from '@doorledger/event-log';
import { ref, sha, uuid, type SampleLog } from './sample-log.js';

/** The facts of one session of a sample log, with sensible values for what a spec does not care about. */
export class SampleSession {
  readonly key: string;
  #last: string | null = null;

  constructor(
    readonly log: SampleLog,
    readonly name: string,
  ) {
    this.key = ref(name);
  }

  claim(turn: string, run: string, more: Partial<FactData<'turn.claimed'>> = {}): StoredRecord {
    const data = { turnId: uuid(turn), runId: uuid(run), hostId: 'host-1', bootId: uuid('boot-1'), after: this.#last, ...more };
    this.#last = data.runId;
    return this.log.add(this.key, { type: 'turn.claimed', data });
  }

  renew(turn: string, run: string): StoredRecord {
    return this.log.add(this.key, { type: 'turn.renewed', data: { turnId: uuid(turn), runId: uuid(run) } });
  }

  content(turn: string, run: string, text: string, type: 'messages.added' | 'pause.stored' = 'messages.added'): StoredRecord {
    const data = { turnId: uuid(turn), runId: uuid(run), keyId: uuid('key'), sealed: Buffer.from(text).toString('base64') };
    return this.log.add(this.key, type === 'messages.added' ? { type, data: { ...data, messages: 1 } } : { type, data });
  }

  /** A file that the turn hands over, in as many records as there are pieces. */
  artifact(turn: string, run: string, name: string, ...pieces: readonly string[]): StoredRecord[] {
    const whole = sha(pieces.join(''));
    return pieces.map((text, index) => {
      const data = { turnId: uuid(turn), runId: uuid(run), keyId: uuid('key'), sealed: Buffer.from(text).toString('base64') };
      const part = pieces.length > 1 ? { part: { index, count: pieces.length, whole } } : {};
      return this.log.add(this.key, { type: 'artifact.stored', data: { ...data, ...part, artifactRef: uuid(name) } });
    });
  }

  step(turn: string, run: string, step: number, content: StoredRecord): StoredRecord {
    return this.log.add(this.key, {
      type: 'turn.stepped',
      data: { turnId: uuid(turn), runId: uuid(run), step, private: placeOf(content) },
    });
  }

  complete(turn: string, run: string, content: StoredRecord): StoredRecord {
    const data = { turnId: uuid(turn), runId: uuid(run), steps: 1, toolCalls: 0, private: placeOf(content), liveToolSessions: 0 };
    return this.log.add(this.key, { type: 'turn.completed', data });
  }

  fail(turn: string, run: string, errorName = 'TestError'): StoredRecord {
    return this.log.add(this.key, { type: 'turn.failed', data: { turnId: uuid(turn), runId: uuid(run), errorName, liveToolSessions: 0 } });
  }

  /** `[consent.minted, turn.paused]` */
  pause(turn: string, run: string, request: string, content: StoredRecord): StoredRecord {
    this.log.add(this.key, {
      type: 'consent.minted',
      data: {
        requestId: sha(request),
        turnId: uuid(turn),
        runId: uuid(run),
        callId: uuid(`${request} call`),
        gate: 'checkIn',
        server: 'mail',
        tool: 'send',
        toolHash: sha('tool'),
        ledger: uuid('log'),
        partyRef: ref('party'),
      },
    });
    return this.log.add(this.key, {
      type: 'turn.paused',
      data: { turnId: uuid(turn), runId: uuid(run), requestId: sha(request), private: placeOf(content), liveToolSessions: 0 },
    });
  }

  spend(run: string, request: string, verdict: FactData<'consent.spent'>['verdict']): StoredRecord {
    return this.log.add(this.key, {
      type: 'consent.spent',
      data: { requestId: sha(request), claimId: uuid(run), verdict, by: ref('party') },
    });
  }

  dispatch(turn: string, run: string, call: string, more: Partial<FactData<'tool-call.dispatched'>> = {}): StoredRecord {
    const data = {
      turnId: uuid(turn),
      runId: uuid(run),
      callId: uuid(call),
      attempt: 1,
      server: 'mail',
      tool: 'send',
      gated: false,
      ...more,
    };
    return this.log.add(this.key, { type: 'tool-call.dispatched', data });
  }

  finish(turn: string, run: string, call: string, outcome: FactData<'tool-call.finished'>['outcome'] = 'ok'): StoredRecord {
    const data = { turnId: uuid(turn), runId: uuid(run), callId: uuid(call), attempt: 1, outcome, durationMs: 5 };
    return this.log.add(this.key, { type: 'tool-call.finished', data });
  }

  close(reason: FactData<'session.closed'>['reason'] = 'owner'): StoredRecord {
    return this.log.add(this.key, { type: 'session.closed', data: { sessionRef: this.key, reason } });
  }
}

/** The facts of one tool session, with sensible values for what a spec does not care about. */
export class SampleToolSession {
  readonly opened: FactData<'tool-session.started'>;

  constructor(
    readonly log: SampleLog,
    name: string,
    more: Partial<FactData<'tool-session.started'>> = {},
  ) {
    this.opened = {
      toolSessionId: uuid(name),
      server: 'mail',
      tool: 'send',
      scope: 'run',
      keyHash: sha(name).slice(0, 12),
      hostId: 'host-1',
      bootId: uuid('boot-1'),
      turnId: uuid(`${name} turn`),
      runId: uuid(`${name} run`),
      callId: uuid(`${name} call`),
      ...more,
    };
  }

  start(): this {
    return this.#add({ type: 'tool-session.started', data: this.opened });
  }

  reuse(calls: number): this {
    return this.#add({ type: 'tool-session.reused', data: { ...this.opened, calls } });
  }

  close(reason: FactData<'tool-session.closed'>['reason'], more: { errorClass?: string } = {}): this {
    const data = { ...this.opened, calls: 1, reason, cleanupMs: 2, ageMs: 9 };
    const { errorClass } = more;
    return this.#add(
      errorClass === undefined
        ? { type: 'tool-session.closed', data }
        : { type: 'tool-session.close-failed', data: { ...data, errorClass } },
    );
  }

  #add(fact: Fact): this {
    this.log.add(this.opened.keyHash, fact);
    return this;
  }
}

export function sayOfHost(log: SampleLog, type: 'host.started' | 'host.alive' | 'host.stopped', hostId: string, boot: string): void {
  log.add(`host/${hostId}`, { type, data: { hostId, bootId: uuid(boot), version: '1', foldVersion: 1, lastSeq: 0, durableSeq: 0 } });
}

export const placeOf = ({ partition, offset, value }: StoredRecord) => ({
  partition,
  offset,
  hash: createHash('sha256').update(value!).digest('hex'),
});

export function ingressOf(log: SampleLog, seq: number, session: string, more: Partial<FactData<'ingress.recorded'>> = {}): StoredRecord {
  return log.add(ref(session), {
    type: 'ingress.recorded',
    data: {
      at: log.now,
      door: 'turn',
      outcome: 'served',
      bearerPresent: true,
      sessionRef: ref(session),
      durationMs: 3,
      hostId: 'host-1',
      bootId: uuid('boot-1'),
      seq,
      ...more,
    },
  });
}
