import { LiveSessions } from './live-sessions.js';
import { callOf, tierUnderTest } from './testing/tier-under-test.js';
import { ToolSession } from './tool-session.js';
import { processClock } from './clock.js';

const IDLE_MS = 900_000;
const person = (name: string) => callOf({ person: name, session: name });

describe('idle', () => {
  it('T30 lets go by a timer, at exactly the bound', async () => {
    const { use, clock, tier, told, facts } = tierUnderTest();
    await use(callOf());
    clock.pass(IDLE_MS - 1);
    expect(tier.live).toBe(1);
    clock.pass(1);
    expect(tier.live).toBe(0);
    await tier.settled();
    expect(told()).toEqual(['started', 'closed idle']);
    expect(facts[1]!.data).toMatchObject({ ageMs: IDLE_MS });
    expect(clock.timers).toBe(0);
  });

  it('T30 counts from the end of the last call in flight, and never meets one with a call in flight', async () => {
    const { open, clock, tier } = tierUnderTest();
    const [one, other] = [await open(callOf()), await open(callOf())];
    if (one.outcome === 'refused' || other.outcome === 'refused') throw new Error('Refused.');
    one.release();
    one.release();
    clock.pass(3 * IDLE_MS);
    expect(tier.live).toBe(1);
    other.release();
    clock.pass(IDLE_MS - 1);
    expect(tier.live).toBe(1);
    clock.pass(1);
    expect(tier.live).toBe(0);
  });

  it('T30 lets a touch begin the idle time anew', async () => {
    const { use, clock, tier } = tierUnderTest();
    await use(callOf());
    clock.pass(IDLE_MS - 1);
    await use(callOf());
    clock.pass(IDLE_MS - 1);
    expect(tier.live).toBe(1);
    clock.pass(1);
    expect(tier.live).toBe(0);
  });

  it('T11 and T30 sweep what is idle before a registration, even when the timer is late', async () => {
    const { use, clock, tier, stops } = tierUnderTest();
    await use(callOf());
    jest.spyOn(clock, 'now').mockReturnValue(clock.now() + IDLE_MS);
    expect(await use(callOf())).toBe('r2');
    await tier.settled();
    expect(stops).toEqual(['r1 idle']);
  });

  it('T30 keeps no process alive for its timer', () => {
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();
    const callOff = processClock.after(60_000, () => {});
    expect(timers()).toBe(before);
    callOff();
  });
});

describe('limits', () => {
  it('T31 holds 64 and evicts whoever was let go of first', async () => {
    const { use, clock, tier, stops } = tierUnderTest();
    for (let i = 0; i < 64; i++) {
      await use(person(`p${i}`));
      clock.pass(1);
    }
    await use(person('p0'));
    expect(stops).toEqual([]);
    await use(person('one more'));
    await tier.settled();
    expect([tier.live, stops]).toEqual([64, ['r2 evicted']]);
  });

  it('T31 evicts the oldest of those that were let go of at the same moment', async () => {
    const { open, use, tier, stops } = tierUnderTest({ live: 3 });
    const answers = [await open(person('a')), await open(person('b')), await open(person('c'))];
    for (const answer of answers.reverse()) if (answer.outcome !== 'refused') answer.release();
    await use(person('d'));
    await use(person('e'));
    await tier.settled();
    expect(stops).toEqual(['r1 evicted', 'r2 evicted']);
  });

  it('T31 never evicts one with a call in flight: if all have one, the new one is refused by name', async () => {
    const { open, use, tier, starts } = tierUnderTest({ live: 2 });
    const [first] = [await open(person('a')), await open(person('b'))];
    expect(await open(person('c'))).toMatchObject({ outcome: 'refused', code: 'ERR_TOOL_SESSIONS_FULL' });
    expect([tier.live, starts()]).toEqual([2, 2]);
    if (first.outcome !== 'refused') first.release();
    expect(await use(person('c'))).toBe('r3');
  });

  it('T31 bounds one person, whose own go first, and nobody else pays for it', async () => {
    const { open, use, tier, stops } = tierUnderTest({ perPerson: 2 });
    const adas = (session: string) => callOf({ session });
    await use(callOf({ person: 'bob' }));
    for (const session of ['s1', 's2', 's3']) await use(adas(session));
    await tier.settled();
    expect([tier.live, stops]).toEqual([3, ['r2 evicted']]);
    await open(adas('s2'));
    await open(adas('s3'));
    expect(await open(adas('s4'))).toMatchObject({ code: 'ERR_TOOL_SESSIONS_FULL', sentence: expect.stringContaining('person') });
    expect(await use(callOf({ person: 'carol' }))).toBe('r5');
  });

  it('T31 does not take callers whom nobody can tell apart for one person', async () => {
    const { use, tier } = tierUnderTest({ perPerson: 2 });
    for (const session of ['s1', 's2', 's3']) await use(callOf({ session, principal: undefined, userRef: undefined }));
    expect(tier.live).toBe(3);
  });

  it('T31 ends each at its greatest age, calls in flight or not', async () => {
    const { open, clock, tier, told } = tierUnderTest();
    await open(callOf());
    clock.pass(8 * 3_600_000 - 1);
    expect(tier.live).toBe(1);
    clock.pass(1);
    await tier.settled();
    expect(told()).toEqual(['started', 'closed max-age']);
    expect(await open(callOf())).toMatchObject({ outcome: 'started' });
  });
});

/** How many fields of tool sessions are read or written by one register, touch and evict among so many. */
function fieldsLookedAt(count: number): number {
  let looked = 0;
  const watched = (place: number): ToolSession => {
    const id = `${count}-${place}`;
    const context = callOf({ person: `p${place % 100}`, session: `s${place % 100}` });
    const of = {
      server: 'files',
      tool: 'read',
      scope: 'session',
      kind: 'server/session/files',
      host: { hostId: 'h', bootId: 'b' },
    } as const;
    const start = { ...of, context, toolSessionId: id, key: id, keyHash: id, person: context.userRef, at: place };
    return new Proxy(new ToolSession(place, start), {
      get: (target, field) => (looked++, Reflect.get(target, field) as unknown),
      set: (target, field, value) => (looked++, Reflect.set(target, field, value)),
    });
  };
  const live = new LiveSessions();
  const add = (place: number) => {
    const session = watched(place);
    live.add(session);
    live.enter(session);
    live.leave(session, place);
    return session;
  };
  const middle = Array.from({ length: count }, (_, place) => add(place))[count >> 1]!;
  looked = 0;
  add(count);
  live.enter(middle);
  live.leave(middle, count + 1);
  live.remove(live.longestIdle!);
  return looked;
}

it('T32 looks at as much to register, touch and evict one among 10 000 as among 10', () => {
  expect(fieldsLookedAt(10_000)).toBe(fieldsLookedAt(10));
});
