import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { encode, type FactEvent } from '@doorledger/contracts';
import {
  advance,
  emptySession,
  foldSession,
  readSessionRecord,
  startOfPartition,
  StoredRecord,
  type PartitionTime,
  type SessionState,
  type Verdict,
} from '@doorledger/event-log';

/** The golden samples tell one session's life. What the first release let stand, every later one lets stand (L8). */
function golden(type: string, offset: number, timestamp: number): StoredRecord {
  const event = JSON.parse(readFileSync(join(__dirname, '../../libs/contracts/golden', `${type}.v1.json`), 'utf8')) as FactEvent;
  const { value, headers } = encode(event);
  return new StoredRecord('doorledger.session.v1', 3, offset, timestamp, 1, 'session', value, headers);
}

/** Folds the samples named, a second apart; `+40` lets so many seconds pass. Answers the verdict on each. */
function fold(story: string): string[] {
  let state: SessionState = emptySession;
  let time: PartitionTime = startOfPartition;
  let now = 0;
  const told: string[] = [];
  for (const [offset, word] of story.split(' ').entries()) {
    now += word.startsWith('+') ? Number(word) * 1000 : 1000;
    if (word.startsWith('+')) continue;
    const stored = golden(word, offset, now);
    time = advance(time, stored);
    const folded = foldSession(state, readSessionRecord(stored), time);
    state = folded.state;
    told.push(said(folded.verdict));
  }
  return told;
}

const said = (verdict: Verdict): string => {
  if (verdict.stands) return 'stands';
  if (verdict.isIgnored) return 'ignored';
  return verdict.waits ? 'waits' : `void: ${verdict.reason}`;
};

it.each([
  ['a turn from claim to answer', 'turn.claimed turn.renewed turn.stepped tool-call.dispatched tool-call.finished turn.completed'],
  ['a turn that fails', 'turn.claimed turn.failed'],
  ['a pause, a vote and its closing', 'turn.claimed consent.minted turn.paused consent.voted consent.spent'],
  ['a host that fell silent', 'turn.claimed tool-call.dispatched +40 turn.lapsed tool-call.reconciled'],
  ['the end of a session', 'turn.claimed session.closed'],
])('L8 lets every record of %s stand', (_, story) => {
  expect(new Set(fold(story))).toEqual(new Set(['stands']));
});

it.each([
  ['turn.claimed turn.claimed', ['stands', 'void: duplicate']],
  ['turn.stepped', ['void: no-run']],
  ['turn.claimed turn.lapsed', ['stands', 'void: alive']],
  ['turn.claimed turn.completed turn.renewed', ['stands', 'stands', 'void: no-run']],
  ['session.closed turn.claimed session.closed', ['stands', 'void: closed', 'void: closed']],
  ['session.repaired', ['void: not-blocked']],
])('L8 still finds void in "%s" what the first release found void', (story, verdicts) => {
  expect(fold(story)).toEqual(verdicts);
});

it('L8 gives the facts that no claim depends on no say', () => {
  expect(fold('gate.observed tool-call.attempted session.erased')).toEqual(['ignored', 'ignored', 'ignored']);
});
