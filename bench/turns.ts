import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { encode, eventOf, topics, type Fact } from '@doorledger/contracts';
import type { EventLog, NewRecord } from '@doorledger/event-log';
import { newTurnId } from '@doorledger/turns';

export const FACTS = Number(process.env.BENCH_FACTS ?? 1_000_000);
export const FACTS_PER_TURN = 5;
const TURNS_AT_ONCE = 500;
const TURNS_PER_SESSION = 4;

const origin = { source: '/doorledger/bench/host', now: Date.now };
const hostId = 'bench';
const bootId = randomUUID();
const record = (key: string, fact: Fact): NewRecord => ({ key, ...encode(eventOf(fact, origin)) });

export interface TurnsOptions {
  readonly turns: number;
  /** The content key that a host finds behind what is sealed; nothing is really sealed. */
  readonly keyId?: string;
  readonly say: (line: string) => void;
}

/** Whole turns as a host writes them: claimed, content, stepped, completed, the ingress record. */
export async function writeTurns(log: EventLog, { turns, keyId = bootId, say }: TurnsOptions): Promise<void> {
  const last = new Map<string, string>();
  let seq = 0;
  for (let done = 0; done < turns; done += TURNS_AT_ONCE) {
    const batch = Array.from({ length: Math.min(TURNS_AT_ONCE, turns - done) }, (_, i) => {
      const sessionRef = createHash('sha256')
        .update(`${Math.floor((done + i) / TURNS_PER_SESSION)}`)
        .digest('hex')
        .slice(0, 32);
      return { sessionRef, turnId: newTurnId(), runId: newTurnId() };
    });
    const content = batch.map(({ sessionRef, turnId, runId }) =>
      record(sessionRef, {
        type: 'messages.added',
        data: { turnId, runId, messages: 2, keyId, sealed: randomBytes(120).toString('base64') },
      }),
    );
    const places = await log.append(topics.private.name, content);
    const facts = batch.flatMap(({ sessionRef, turnId, runId }, i) => {
      const { partition, offset } = places[i]!;
      const ref = { partition, offset, hash: createHash('sha256').update(content[i]!.value).digest('hex') };
      const after = last.get(sessionRef) ?? null;
      last.set(sessionRef, runId);
      return [
        record(sessionRef, { type: 'turn.claimed', data: { turnId, runId, hostId, bootId, after } }),
        record(sessionRef, { type: 'turn.stepped', data: { turnId, runId, step: 1, private: ref } }),
        record(sessionRef, { type: 'turn.completed', data: { turnId, runId, steps: 1, toolCalls: 0, private: ref, liveToolSessions: 0 } }),
      ];
    });
    const ingress = batch.map(({ sessionRef, turnId }) =>
      record(sessionRef, {
        type: 'ingress.recorded',
        data: {
          at: Date.now(),
          door: 'turn',
          outcome: 'served',
          bearerPresent: false,
          sessionRef,
          turnId,
          durationMs: 3,
          hostId,
          bootId,
          seq: ++seq,
        },
      }),
    );
    await Promise.all([log.append(topics.session.name, facts), log.append(topics.ingress.name, ingress)]);
    if (done % 20_000 === 0) say(`${(done * FACTS_PER_TURN).toLocaleString('en')} facts written`);
  }
}
