import {
  foldSession,
  readSessionRecord,
  advance,
  emptySession,
  startOfPartition,
  type SessionState,
  type StoredRecord,
} from '@doorledger/event-log';
import { topics } from '@doorledger/contracts';

/** A turn that a caller was told is complete. */
export interface Acknowledged {
  readonly turnId: string;
}

/** What a checker of a history is given: the whole log, what callers heard, and what the ledger says. */
export interface History {
  readonly records: readonly StoredRecord[];
  readonly acknowledged: readonly Acknowledged[];
  /** Turn status by turnId, as the ledger has it. */
  readonly ledgerTurns: ReadonlyMap<string, string>;
  /** Whether every answer waited for its ingress record. */
  readonly isRecordedBeforeReply: boolean;
}

/** One broken promise, with where to look. */
export interface Violation {
  readonly rule: string;
  readonly what: string;
}

const session = topics.session.name;

/** Judges a whole history by the log alone; an empty answer means that every promise held. */
export function checkHistory(history: History): Violation[] {
  const folded = foldAll(history.records);
  return [...offsets(history.records), ...folded.violations, ...acknowledged(history, folded.completed), ...census(history.records)];
}

/** K2: positions of a partition are strictly increasing, and on this log gapless. */
function offsets(records: readonly StoredRecord[]): Violation[] {
  const violations: Violation[] = [];
  const next = new Map<string, number>();
  for (const { topic, partition, offset } of records) {
    const place = `${topic}/${partition}`;
    const expected = next.get(place) ?? 0;
    if (offset !== expected) violations.push({ rule: 'K2', what: `${place} goes from ${expected - 1} to ${offset}` });
    next.set(place, offset + 1);
  }
  return violations;
}

/** L5: one run at a time; what completes a turn stands under the run that held the session. */
function foldAll(records: readonly StoredRecord[]): { completed: Set<string>; violations: Violation[] } {
  const states = new Map<string, SessionState>();
  const times = new Map<number, ReturnType<typeof advance>>();
  const completed = new Set<string>();
  const violations: Violation[] = [];
  const holder = new Map<string, string>();
  for (const record of records) {
    if (record.topic !== session) continue;
    const time = advance(times.get(record.partition) ?? startOfPartition, record);
    times.set(record.partition, time);
    const { state, effects } = foldSession(states.get(record.key) ?? emptySession, readSessionRecord(record), time);
    states.set(record.key, state);
    for (const effect of effects) {
      if (effect.kind === 'run-stood') {
        if (holder.has(record.key))
          violations.push({ rule: 'L5', what: `two runs stand at ${session}/${record.partition}/${record.offset}` });
        holder.set(record.key, effect.runId);
      }
      if (effect.kind === 'run-ended') {
        if (holder.get(record.key) !== effect.runId)
          violations.push({ rule: 'L5', what: `a run ended that did not stand at ${record.partition}/${record.offset}` });
        holder.delete(record.key);
        if (effect.how === 'completed') completed.add(effect.turnId);
      }
    }
  }
  return { completed, violations };
}

/** K3, D21: what a caller was told is on the log, standing, and in the ledger. */
function acknowledged(
  { records, acknowledged: heard, ledgerTurns, isRecordedBeforeReply }: History,
  completed: ReadonlySet<string>,
): Violation[] {
  const recorded = new Set<string>();
  for (const { decoded } of records) if (decoded.type === 'ingress.recorded') recorded.add(String(decoded.body?.data.turnId));
  return heard.flatMap(({ turnId }) => {
    const found: Violation[] = [];
    if (!completed.has(turnId)) found.push({ rule: 'K3', what: `turn ${turnId} was acknowledged and no completion of it stands` });
    if (ledgerTurns.get(turnId) !== 'completed')
      found.push({ rule: 'K3', what: `turn ${turnId} was acknowledged and is ${ledgerTurns.get(turnId) ?? 'not'} in the ledger` });
    if (isRecordedBeforeReply && !recorded.has(turnId))
      found.push({ rule: 'E5', what: `turn ${turnId} was acknowledged without its ingress record` });
    return found;
  });
}

/** E11: the places of a host's life are unique; what is missing among them is less than what was in flight at its end. */
function census(records: readonly StoredRecord[]): Violation[] {
  const seen = new Map<string, { seqs: Set<number>; ids: Set<string> }>();
  const violations: Violation[] = [];
  for (const { decoded } of records) {
    if (decoded.type !== 'ingress.recorded' || !decoded.body) continue;
    const { bootId, seq } = decoded.body.data as { bootId: string; seq: number };
    const life = seen.get(bootId) ?? { seqs: new Set(), ids: new Set() };
    seen.set(bootId, life);
    if (life.seqs.has(seq) && !life.ids.has(decoded.id!))
      violations.push({ rule: 'E11', what: `place ${seq} of boot ${bootId} was given twice` });
    life.seqs.add(seq);
    life.ids.add(decoded.id!);
  }
  return violations;
}
