import { createHash, randomUUID } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ToolSessionTier, isolationKey, type CallContext } from '@doorledger/tool-sessions';
import { compared, median, type Bench, type BenchRow } from '../row.js';
import { ScanningTier } from './scanning-tier.js';

const LIVE = 10_000;
/** By turns, so that what else the machine does meets both alike. */
const ROUNDS = 100;
const CALLS = 50;
const IDLE_MS = 900_000;
const MICROS = 1000;

const keyHash = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, 12);
const cleanup = (): void => {};
const tierFor = (live: number): ToolSessionTier =>
  new ToolSessionTier({ hostId: 'bench', bootId: randomUUID(), keyHash, onFact: () => {}, limits: { live, idleMs: IDLE_MS } });

/** Text that lies in memory in one piece, as a request's does. */
const text = (value: string): string => Buffer.from(value).toString('latin1');

function callOf(person: number): CallContext {
  const principal = text(`https://issuer.example|person-${person}`);
  const refs = { sessionRef: text(keyHash(`session ${person}`).padEnd(32, '0')), userRef: text(keyHash(principal).padEnd(32, '0')) };
  const ids = { turnId: text(randomUUID()), runId: text(randomUUID()), callId: text(randomUUID()) };
  return { tenant: 'acme', principal, sessionId: text(randomUUID()), ...refs, ...ids };
}

const onDifferentPeople = (count: number, from: number): CallContext[] => Array.from({ length: count }, (_, i) => callOf(from + i));

/** µs for each of the calls. */
async function timed(calls: readonly CallContext[], run: (call: CallContext) => void, settled?: () => Promise<void>): Promise<number> {
  const at = performance.now();
  for (const call of calls) run(call);
  await settled?.();
  return ((performance.now() - at) * MICROS) / calls.length;
}

async function timesAtFull(say: (line: string) => void): Promise<BenchRow[]> {
  const tier = tierFor(LIVE);
  const scanning = new ScanningTier(LIVE, IDLE_MS);
  const tool = { name: 'host.tool', server: 'host', tool: 'tool', scope: 'session' } as const;
  const ours = (context: CallContext) => {
    tier.register({ ...tool, context, cleanup });
    tier.fire({ kind: 'call-end', callId: context.callId });
  };
  const theirs = (context: CallContext) => void scanning.register(isolationKey('session', context)!, context.callId, cleanup);
  let people = 0;
  const strangers = (count: number) => onDifferentPeople(count, (people += count) - count);
  const known = strangers(LIVE);
  for (const call of known) ours(call);
  for (const call of known) theirs(call);

  const byTurns = async (some: () => CallContext[]) => {
    const times: { ours: number; theirs: number }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const [us, them] = [some(), some()];
      times.push({ ours: await timed(us, ours, () => tier.settled()), theirs: await timed(them, theirs) });
    }
    return times;
  };
  const touch = await byTurns(() => Array.from({ length: CALLS }, () => known[Math.floor(Math.random() * LIVE)]!));
  const evict = await byTurns(() => strangers(CALLS));
  if (tier.live !== LIVE || scanning.count !== LIVE) throw new Error('The tiers did not hold what they may.');
  say(`${LIVE.toLocaleString('en')} live throughout`);
  await tier.close();
  const row = (name: string, rounds: readonly { ours: number; theirs: number }[]) => {
    const [us, them] = [median(rounds.map((r) => r.ours)), median(rounds.map((r) => r.theirs))];
    return compared(name, us, 'µs', { name: 'scan and sort', value: them }, `${Math.round(them / us)} times as fast`);
  };
  return [row('touch a tool session', touch), row('register one, evict one', evict)];
}

/** Bytes of heap per live tool session, with the names it was opened under. */
async function heapOf(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  const tier = tierFor(LIVE);
  const started = { resource: undefined, stop: async () => {} };
  gc();
  const before = process.memoryUsage().heapUsed;
  for (let person = 0; person < LIVE; person++) {
    const ask = { name: 'files', server: 'files', tool: 'read_file', scope: 'session', context: callOf(person) } as const;
    const answer = await tier.open(ask, async () => started);
    if (answer.outcome === 'refused') throw new Error(answer.code);
    answer.release();
  }
  gc();
  const bytes = (process.memoryUsage().heapUsed - before) / tier.live;
  await tier.close();
  return bytes;
}

export const toolSessions: Bench = {
  name: 'tool-sessions',
  about: `the tier with ${LIVE.toLocaleString('en')} live tool sessions, by turns with one that scans and sorts an array`,
  run: async (say) => [
    ...(await timesAtFull(say)),
    {
      name: 'heap per live tool session',
      value: await heapOf(),
      unit: 'bytes',
      note: `${LIVE.toLocaleString('en')} of as many people, their names included`,
    },
  ],
};
