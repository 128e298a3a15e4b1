import { topics } from '@doorledger/contracts';
import type { LifeCheck } from '@doorledger/ledger';
import type { Heard } from '../race/heard.js';
import type { Received } from '../judge-server-process.js';
import { SystemCheck } from './system-check.js';

const REQUEST = 'q'.repeat(64);
const BOOT = 'boot';
type Line = Parameters<SystemCheck['see']>[0];

/** A log that is written by hand, and everything that is known beside it. Nothing is judged before it is all written. */
class World {
  readonly lines: Line[] = [];
  readonly received: Received[] = [];
  readonly heard: Heard[] = [];
  readonly noted = new Set<string>();
  readonly void = new Set<string>();
  readonly ledgerCalls = new Map<string, string>();
  readonly ledgerConsents = new Map<string, { status: string; isNotRun: boolean }>();
  readonly closeReasons = new Map<string, string | null>();
  census: LifeCheck = {
    hostId: 'a',
    bootId: BOOT,
    state: 'stopped',
    issued: 3,
    recorded: 2,
    counted: 0,
    pending: 0,
    unknown: 1,
    removed: 0,
    doubled: 0,
    addsUp: true,
  };

  /** @returns the record's offset in its topic */
  write(topic: string, key: string, type: string, data: object, id = `${this.lines.length}`): number {
    const offset = this.lines.filter((line) => line.topic === topic).length;
    const headers = { ce_type: type, ce_id: id };
    this.lines.push({
      ...{ topic, partition: 0, offset, epoch: 0, key, headers },
      timestamp: 1_000_000 + 10 * this.lines.length,
      value: JSON.stringify({ data }),
    });
    return offset;
  }

  session = (type: string, data: object, key = 's'): number => this.write(topics.session.name, key, type, { after: null, ...data });
  tool = (type: string, data: object, id?: string): number =>
    this.write(topics.toolSession.name, 'k', type, { toolSessionId: 'ts', ...data }, id);
  ingress = (seq: number, id?: string): number => this.write(topics.ingress.name, 'h', 'ingress.recorded', { bootId: BOOT, seq }, id);
  alive = (lastSeq: number): number => this.write(topics.system.name, 'h', 'host.alive', { bootId: BOOT, lastSeq, durableSeq: 2 });
  receive = (id: string, callId: string, offset: number, tool = 'note') =>
    this.received.push({ id, at: 1_000_000 + 10 * this.lines.length, tool, fence: { callId, partition: 0, offset } });

  /** What the ledger would call standing: everything but what is void here. */
  judged(): string[] {
    const standing = new Set(this.lines.map(({ offset }) => `0/${offset}`).filter((place) => !this.void.has(place)));
    const { received, heard, noted, census, ledgerCalls, ledgerConsents, closeReasons } = this;
    const ledger = { standing, turns: new Map<string, string>(), ledgerCalls, ledgerConsents, closeReasons };
    const check = new SystemCheck({ ledger, received, heard, noted, census: [census], pauses: [] });
    for (const line of this.lines) check.see(line);
    return check.judge().map(({ rule, what }) => `${rule} ${what}`);
  }
}

interface Places {
  readonly spend: number;
  readonly dispatch: number;
}

/** A call that a person approved, one without a gate, one tool session, three requests of which one was never written down. */
function sound(): World & { readonly at: Places } {
  const world = new World();
  world.session('turn.claimed', { turnId: 't', runId: 'r0', hostId: 'a' });
  world.session('consent.minted', { turnId: 't', runId: 'r0', requestId: REQUEST, callId: 'c1' });
  world.session('turn.paused', { turnId: 't', runId: 'r0', requestId: REQUEST });
  world.session('turn.claimed', { turnId: 't', runId: 'r1', hostId: 'b', after: 'r0', resumes: REQUEST });
  const spend = world.session('consent.spent', { requestId: REQUEST, claimId: 'r1', verdict: 'approved', by: 'ann' });
  const gated = { turnId: 't', runId: 'r1', callId: 'c1', attempt: 1, gated: true, requestId: REQUEST };
  const dispatch = world.session('tool-call.dispatched', { ...gated, spend: { partition: 0, offset: spend } });
  world.receive('paid', 'c1', dispatch, 'pay');
  world.session('tool-call.finished', { callId: 'c1', attempt: 1, outcome: 'ok' });
  const plain = world.session('tool-call.dispatched', { turnId: 't', runId: 'r1', callId: 'c2', attempt: 1, gated: false });
  world.receive('noted', 'c2', plain);
  world.session('tool-call.finished', { callId: 'c2', attempt: 1, outcome: 'ok' });
  world.session('turn.completed', { turnId: 't', runId: 'r1' });
  world.tool('tool-session.started', {});
  world.tool('tool-session.closed', { reason: 'session-end' });
  world.ingress(1);
  world.ingress(2);
  world.alive(3);
  world.noted.add('noted');
  world.heard.push({ requestId: REQUEST, by: 'ann', way: 'api', approved: true, answer: '200' });
  for (const call of ['c1', 'c2']) world.ledgerCalls.set(call, 'ok');
  world.ledgerConsents.set(REQUEST, { status: 'approved', isNotRun: false });
  world.closeReasons.set('ts', 'session-end');
  return Object.assign(world, { at: { spend, dispatch } });
}

it('V2, E12, L3, N20, N22 and T40 find no fault in a history that keeps every statement', () => {
  expect(sound().judged()).toEqual([]);
});

const again = { turnId: 't', runId: 'r1', callId: 'c2', gated: false };

it.each<[string, RegExp, (world: ReturnType<typeof sound>) => unknown]>([
  [
    'V2 a second standing spend',
    /^V2 .*is spent at 0\/4 and again/,
    (w) => w.session('consent.spent', { requestId: REQUEST, claimId: 'r2', verdict: 'declined' }),
  ],
  [
    'V2 a gated dispatch that cites no spend',
    /^V2 .*cites no standing approval/,
    (w) =>
      (w.lines[w.at.dispatch] = { ...w.lines[w.at.dispatch]!, value: w.lines[w.at.dispatch]!.value.replace(/"spend":\{[^}]*\}/, '"x":0') }),
  ],
  [
    'V2 a gated dispatch that cites an approval of another turn',
    /^V2 .*cites no standing approval/,
    (w) =>
      (w.lines[w.at.dispatch] = {
        ...w.lines[w.at.dispatch]!,
        value: w.lines[w.at.dispatch]!.value.replace('"turnId":"t"', '"turnId":"u"'),
      }),
  ],
  ['V2 a gated dispatch whose approval is void', /^V2 .*cites no standing approval/, (w) => w.void.add(`0/${w.at.spend}`)],
  [
    'V2 a dispatch behind the close of its session',
    /^V2 .*follows the close of its session/,
    (w) => [w.session('session.closed', { reason: 'owner' }), w.session('tool-call.dispatched', { ...again, callId: 'c3', attempt: 1 })],
  ],
  [
    'V2 an attempt that is dispatched twice',
    /^V2 .*is attempt 1 after 1/,
    (w) => w.session('tool-call.dispatched', { ...again, attempt: 1 }),
  ],
  [
    'V2 an attempt behind one that ended ok',
    /^V2 .*follows an attempt that is ok/,
    (w) => w.session('tool-call.dispatched', { ...again, attempt: 2 }),
  ],
  [
    'V2 the end of a call that was not dispatched',
    /^V2 .*has no dispatch/,
    (w) => w.session('tool-call.finished', { callId: 'c9', attempt: 1, outcome: 'ok' }),
  ],
  [
    'L7 a dispatch that only the ledger lets stand',
    /^L7 the dispatch .* second fold only/,
    (w) => w.session('tool-call.dispatched', { ...again, callId: 'c3', attempt: 1 }),
  ],
  ['L2 a call that the tool server received twice', /^L2 .*received 2 times/, (w) => w.received.push(w.received[1]!)],
  ['L3 a call that was received before its dispatch stood', /^L3 .*no dispatch of it stands/, (w) => w.receive('early', 'c2', 99)],
  [
    'N20 a gated tool that ran without a request',
    /^N20 .*ran without a request/,
    (w) => (w.received[1] = { ...w.received[1]!, tool: 'pay' }),
  ],
  ['N12 somebody who was told of an approval that does not stand', /^N12 api: 200/, (w) => w.heard.push({ ...w.heard[0]!, by: 'bob' })],
  ['L3 an answer about a call that was not received', /^L3 lost was answered/, (w) => w.noted.add('lost')],
  ['L9 a call that the ledger does not know', /^L9 call c2 is ok by the log and not/, (w) => w.ledgerCalls.delete('c2')],
  ['V2 a tool session that was started twice', /^V2 tool session ts was started 2 times/, (w) => w.tool('tool-session.started', {})],
  [
    'V2 the end of a tool session that was not started',
    /^V2 .*which was not started/,
    (w) => w.tool('tool-session.closed', { toolSessionId: 'tx', reason: 'idle' }),
  ],
  ['T40 another close than the first one in the ledger', /^T40 .*idle in the ledger/, (w) => w.closeReasons.set('ts', 'idle')],
  ['E11 a place of two records', /^E11 .*told twice/, (w) => w.ingress(2)],
  ['E12 a census that names no gap', /^E12 .*the census says 3, 3, 0, 0/, (w) => (w.census = { ...w.census, recorded: 3, unknown: 0 })],
  ['E12 a census that does not add up', /^E12 .*does not add up/, (w) => (w.census = { ...w.census, unknown: 0 })],
  [
    'E12 a life that the census does not know',
    /^E12 boot other is on the log/,
    (w) => w.write(topics.system.name, 'h', 'host.alive', { bootId: 'other', lastSeq: 0, durableSeq: 0 }),
  ],
])('%s is found', (_, wanted, plant) => {
  const world = sound();
  plant(world);
  expect(world.judged()).toContainEqual(expect.stringMatching(wanted));
});

it('K10 a copy of a record is no second one', () => {
  const world = sound();
  world.tool('tool-session.started', {}, world.lines.find(({ headers }) => headers.ce_type === 'tool-session.started')!.headers.ce_id);
  world.ingress(2, world.lines.findLast(({ headers }) => headers.ce_type === 'ingress.recorded')!.headers.ce_id);
  expect(world.judged()).toEqual([]);
});
