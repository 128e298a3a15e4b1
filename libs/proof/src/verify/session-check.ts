import type { PartitionTime, SessionState, StoredRecord } from '@doorledger/event-log';
import { advance, emptySession, foldSession, packSession, readSessionRecord, startOfPartition, unpackSession } from '@doorledger/event-log';
import { CallCheck } from './call-check.js';
import { ConsentCheck } from './consent-check.js';
import type { Scratch, ScratchMap } from './sqlite-scratch.js';
import type { Violation, ViolationPlace } from './violation.js';

interface Session {
  readonly state: SessionState;
  readonly closedAt?: ViolationPlace;
}

/**
 * The statements of the session topic. What stands is the fold's to say, record by record; what must hold of everything that stood, in whatever
 * session and however long ago, is counted here apart from the fold's own memory. Positions decide, never times (V3).
 */
export class SessionCheck {
  readonly #sessions: ScratchMap<Session>;
  readonly #consents: ConsentCheck;
  readonly #calls: CallCheck;
  readonly #times = new Map<number, PartitionTime>();

  constructor(scratch: Scratch) {
    this.#sessions = scratch.map<Session>(
      ({ state, closedAt }) => JSON.stringify([packSession(state), closedAt]),
      (text) => {
        const [state, closedAt] = JSON.parse(text) as [string, ViolationPlace | undefined];
        return { state: unpackSession(state), ...(closedAt && { closedAt }) };
      },
    );
    this.#consents = new ConsentCheck(scratch);
    this.#calls = new CallCheck(scratch, this.#consents);
  }

  take(record: StoredRecord): Violation | undefined {
    const { topic, partition, offset, key } = record;
    const place: ViolationPlace = { topic, partition, offset };
    const time = advance(this.#times.get(partition) ?? startOfPartition, record);
    this.#times.set(partition, time);
    const session = this.#sessions.get(key) ?? { state: emptySession };
    const { state, verdict, effects } = foldSession(session.state, readSessionRecord(record), time);
    if (verdict.stands && record.decoded.type === 'consent.minted') this.#consents.minted(record);
    let { closedAt } = session;
    for (const effect of effects) {
      if (effect.kind === 'call-dispatched' && closedAt)
        return {
          statement: 'no-dispatch-after-close',
          sentence: 'A call was dispatched after its session had been closed.',
          positions: [closedAt, place],
        };
      const violation = this.#consents.take(effect, place) ?? this.#calls.take(effect, record, place);
      if (violation) return violation;
      if (effect.kind === 'session-closed') closedAt = place;
    }
    this.#sessions.set(key, { state, ...(closedAt && { closedAt }) });
    return verdict.stands ? undefined : this.#calls.takeVoid(record, place);
  }
}
