import { createHash } from 'node:crypto';
import {
  foldSession,
  readSessionRecord,
  advance,
  emptySession,
  startOfPartition,
  type Effect,
  type PartitionTime,
  type SessionState,
  type StoredRecord,
} from '@doorledger/event-log';
import { topics } from '@doorledger/contracts';
import { Census } from './census.js';

/** A turn that a caller was told is complete. */
export interface Acknowledged {
  readonly turnId: string;
}

/** What the log is held against: what callers heard, and what the ledger says. */
export interface Outside {
  readonly acknowledged: readonly Acknowledged[];
  /** Turn status by turnId, as the ledger has it. */
  readonly ledgerTurns: ReadonlyMap<string, string>;
  /** Whether every answer waited for its ingress record. */
  readonly isRecordedBeforeReply: boolean;
}

/** What a checker of a history is given: the whole log beside it. */
export interface History extends Outside {
  readonly records: readonly StoredRecord[];
}

/** One broken promise, with where to look. */
export interface Violation {
  readonly rule: string;
  readonly what: string;
}

/** Judges a whole history by the log alone; an empty answer means that every promise held. */
export function checkHistory({ records, ...outside }: History): Violation[] {
  const check = new HistoryCheck();
  for (const record of records) check.see(record);
  return check.judge(outside);
}

const session = topics.session.name;
const placeOf = (topic: string, partition: number, offset: number): string => `${topic}/${partition}/${offset}`;

/** Sees a log record by record, each partition's in offset order, and keeps of it only what the judgement needs. */
export class HistoryCheck {
  readonly #violations: Violation[] = [];
  readonly #next = new Map<string, number>();
  readonly #times = new Map<number, PartitionTime>();
  readonly #states = new Map<string, SessionState>();
  /** By session key: the run that holds it. */
  readonly #holders = new Map<string, string>();
  readonly #turns = new Map<string, string>();
  /** Content by place, and what standing records cite, as hashes. */
  readonly #content = new Map<string, string>();
  readonly #cited = new Map<string, string>();
  readonly #recorded = new Set<string>();
  readonly #census = new Census();
  #records = 0;

  get records(): number {
    return this.#records;
  }

  /** Where each turn of which a run has stood is, by the fold. */
  get turns(): ReadonlyMap<string, string> {
    return this.#turns;
  }

  see(record: StoredRecord): void {
    this.#records++;
    this.#seePlace(record);
    if (record.topic === session) this.#fold(record);
    else if (record.topic === topics.private.name)
      this.#content.set(placeOf(record.topic, record.partition, record.offset), sha256(record.value ?? new Uint8Array()));
    else if (record.topic === topics.ingress.name || record.topic === topics.system.name) {
      this.#census.see(record);
      if (record.decoded.type === 'ingress.recorded') this.#recorded.add(String(record.decoded.body?.data.turnId));
    }
  }

  judge({ acknowledged, ledgerTurns, isRecordedBeforeReply }: Outside): Violation[] {
    const found = [...this.#violations, ...this.#census.judge()];
    for (const [place, hash] of this.#cited)
      if (this.#content.get(place) !== hash) found.push({ rule: 'L10', what: `what a standing record names is not at ${place}` });
    const heard = new Set(acknowledged.map(({ turnId }) => turnId));
    for (const turnId of heard) {
      const inLedger = ledgerTurns.get(turnId);
      if (this.#turns.get(turnId) !== 'completed')
        found.push({ rule: 'K3', what: `turn ${turnId} was acknowledged and no completion of it stands` });
      if (inLedger !== 'completed')
        found.push({ rule: 'K3', what: `turn ${turnId} was acknowledged and is ${inLedger ?? 'not'} in the ledger` });
      if (isRecordedBeforeReply && !this.#recorded.has(turnId))
        found.push({ rule: 'E5', what: `turn ${turnId} was acknowledged without its ingress record` });
    }
    for (const [turnId, status] of this.#turns) {
      const inLedger = ledgerTurns.get(turnId);
      if (!heard.has(turnId) && inLedger !== status)
        found.push({ rule: 'L9', what: `turn ${turnId} is ${status} on the log and ${inLedger ?? 'not'} in the ledger` });
    }
    return found;
  }

  /** K2: positions of a partition are strictly increasing; a log without transactions has no hole. */
  #seePlace({ topic, partition, offset }: StoredRecord): void {
    const place = `${topic}/${partition}`;
    const expected = this.#next.get(place) ?? 0;
    if (offset !== expected) this.#violations.push({ rule: 'K2', what: `${place} goes from ${expected - 1} to ${offset}` });
    this.#next.set(place, offset + 1);
  }

  /** L5: one run at a time; what completes a turn stands under the run that held the session. */
  #fold(record: StoredRecord): void {
    const { key, partition } = record;
    const time = advance(this.#times.get(partition) ?? startOfPartition, record);
    this.#times.set(partition, time);
    const { state, verdict, effects } = foldSession(this.#states.get(key) ?? emptySession, readSessionRecord(record), time);
    this.#states.set(key, state);
    for (const effect of effects) this.#take(effect, record);
    const cited = verdict.stands && (record.decoded.body?.data.private as { partition: number; offset: number; hash: string } | undefined);
    if (cited) this.#cited.set(placeOf(topics.private.name, cited.partition, cited.offset), cited.hash);
  }

  #take(effect: Effect, { key, partition, offset }: StoredRecord): void {
    const holder = this.#holders.get(key);
    if (effect.kind === 'run-stood') {
      if (holder !== undefined) this.#violations.push({ rule: 'L5', what: `two runs stand at ${placeOf(session, partition, offset)}` });
      this.#holders.set(key, effect.runId);
      this.#turns.set(effect.turnId, effect.turn);
    }
    if (effect.kind === 'run-ended') {
      if (holder !== effect.runId)
        this.#violations.push({ rule: 'L5', what: `a run ended that did not stand at ${placeOf(session, partition, offset)}` });
      this.#holders.delete(key);
      this.#turns.set(effect.turnId, effect.turn);
    }
    if (effect.kind === 'turn-closed') this.#turns.set(effect.turnId, effect.turn);
  }
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
