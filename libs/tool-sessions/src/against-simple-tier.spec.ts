import { createHash } from 'node:crypto';
import fc from 'fast-check';
import type { Fact } from '@doorledger/contracts';
import type { OpenAnswer, OpenAsk, Start, Started } from './asks.js';
import type { CallContext, Scope } from './call-context.js';
import type { Firing } from './firing.js';
import { FakeClock } from './testing/fake-clock.js';
import { SimpleTier } from './testing/simple-tier.js';
import { callOf, sessionRefOf, userRefOf } from './testing/tier-under-test.js';
import { ToolSessionTier, type ToolSessionTierOptions } from './tool-session-tier.js';

const limits = { idleMs: 100, maxAgeMs: 350, live: 4, perPerson: 3, cleanupMs: 1e9 };
const uuid = (name: string) =>
  createHash('md5')
    .update(name)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

const people = ['ada', 'bob', undefined];
const sessions = ['s1', 's2', undefined];
const turns = ['t1', 't2', 't3'];

type Step =
  | {
      readonly do: 'open';
      readonly person: number;
      readonly session: number;
      readonly turn: number;
      readonly call: number;
      readonly scope: Scope;
      readonly server: string;
    }
  | { readonly do: 'start'; readonly at: number; readonly isWell: boolean }
  | { readonly do: 'release' | 'drop'; readonly at: number }
  | { readonly do: 'fire'; readonly firing: Firing }
  | { readonly do: 'pass'; readonly ms: number };

const among = fc.nat({ max: 2 });
const firing: fc.Arbitrary<Firing> = fc.oneof(
  among.map((call): Firing => ({ kind: 'call-end', callId: uuid(`c${call}`) })),
  fc.tuple(fc.constantFrom('turn-end', 'pause-ended'), fc.constantFrom(...turns)).map(([kind, turn]) => ({ kind, turnId: uuid(turn) })),
  fc
    .tuple(fc.constantFrom('s1', 's2'), fc.constantFrom('session-end', 'revoked', 'evicted'))
    .map(([session, reason]): Firing => ({ kind: 'session-end', sessionRef: sessionRefOf(session), reason })),
  fc.constantFrom('ada', 'bob').map((person): Firing => ({ kind: 'user-revoked', userRef: userRefOf(person) })),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('open' as const),
      person: among,
      session: among,
      turn: among,
      call: among,
      scope: fc.constantFrom<Scope>('session', 'session', 'run', 'call'),
      server: fc.constantFrom('files', 'mail'),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('start' as const), at: fc.nat(), isWell: fc.integer({ min: 0, max: 5 }).map((n) => n > 0) }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom('release' as const, 'release' as const, 'drop' as const), at: fc.nat() }) },
  { weight: 1, arbitrary: firing.map((chosen) => ({ do: 'fire' as const, firing: chosen })) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(0, 1, 30, 99, 100, 260) }) },
);

/** A call id belongs to one person, session and turn. */
function contextOf({ scope, call, ...given }: Step & { do: 'open' }): CallContext {
  const { person, session, turn } = scope === 'call' ? { person: call, session: call, turn: call } : given;
  const [who, where] = [people[person], sessions[session]];
  return callOf({
    principal: who,
    userRef: who && userRefOf(who),
    sessionId: where,
    sessionRef: where && sessionRefOf(where),
    turnId: uuid(turns[turn]!),
    runId: uuid(`run of ${turns[turn]} by ${who}`),
    callId: uuid(`c${call}`),
  });
}

/** Takes both tiers through the steps; throws at the first difference. */
async function compare(Tier: typeof ToolSessionTier, steps: readonly Step[]): Promise<void> {
  const clock = new FakeClock();
  const told: string[] = [];
  const nameOf = new Map<string, string>();
  const options: ToolSessionTierOptions = {
    hostId: 'h',
    bootId: uuid('boot'),
    keyHash: (key) => createHash('sha256').update(key).digest('hex').slice(0, 12),
    onFact: ({ type, data }: Fact) => {
      const { toolSessionId, reason } = data as { toolSessionId: string; reason?: string };
      told.push([type.slice('tool-session.'.length), nameOf.get(toolSessionId), reason].filter(Boolean).join(' '));
    },
    onTrouble: (_, error) => {
      throw error;
    },
    clock,
    limits,
  };
  const tier = new Tier(options);
  const simple = new SimpleTier(limits);
  type Entry = NonNullable<ReturnType<SimpleTier['open']>>;
  const starting: { entry: Entry; done(): void; fail(): void }[] = [];
  const calls: { entry?: Entry; got?: string; expected?: string; release?: () => void; isReleased: boolean }[] = [];
  const turnOver = () => new Promise<void>((resolve) => setImmediate(resolve));

  const take = async (next: Step): Promise<void> => {
    switch (next.do) {
      case 'open': {
        const context = contextOf(next);
        const call: (typeof calls)[number] = { isReleased: false };
        const { server, scope } = next;
        call.entry = simple.open({ server, scope, context }, clock.now(), (answer) => (call.expected = answer));
        const start: Start<string> = ({ toolSessionId }) =>
          new Promise<Started<string>>((resolve, reject) => {
            const { entry } = call;
            nameOf.set(toolSessionId, entry?.name ?? 'unexpected');
            const done = () => resolve({ resource: entry?.name ?? 'unexpected', stop: async () => {} });
            if (entry) starting.push({ entry, done, fail: () => reject(new Error('failed')) });
            else done();
          });
        tier.open({ name: server, server, tool: 'tool', scope, context }, start).then(
          (answer) => {
            call.got = answer.outcome === 'refused' ? answer.code : `${answer.resource} ${answer.calls}`;
            if (answer.outcome !== 'refused') call.release = answer.release;
          },
          (error: Error) => (call.got = error.message),
        );
        calls.push(call);
        return;
      }
      case 'start': {
        const [chosen] = starting.splice(next.at % (starting.length || 1), 1);
        if (!chosen) return;
        if (next.isWell) chosen.done();
        else chosen.fail();
        return simple.started(chosen.entry, next.isWell);
      }
      case 'release': {
        const open = calls.filter(({ isReleased, release }) => release && !isReleased);
        const call = open[next.at % (open.length || 1)];
        if (!call?.entry) return;
        call.isReleased = true;
        call.release!();
        return simple.release(call.entry, clock.now());
      }
      case 'drop': {
        const known = [...nameOf];
        if (known.length === 0) return;
        const [id, name] = known[next.at % known.length]!;
        tier.drop(id, 'upstream-gone');
        return simple.end(
          simple.live.filter((entry) => entry.name === name),
          'upstream-gone',
        );
      }
      case 'fire':
        return expect(tier.fire(next.firing)).toBe(simple.fire(next.firing));
      case 'pass': {
        const now = clock.now();
        clock.pass(next.ms);
        return simple.pass(now, now + next.ms);
      }
    }
  };
  const same = async (): Promise<void> => {
    await turnOver();
    expect(told).toEqual(simple.told);
    expect(calls.map(({ got }) => got)).toEqual(calls.map(({ expected }) => expected));
    expect(tier.live).toBe(simple.live.length);
    for (const ref of [sessionRefOf('s1'), sessionRefOf('s2')]) {
      expect(tier.liveOf(ref)).toBe(simple.live.filter(({ context }) => context.sessionRef === ref).length);
    }
  };
  for (const next of steps) {
    await take(next);
    await same();
  }
  expect(tier.fire({ kind: 'shutdown' })).toBe(simple.fire({ kind: 'shutdown' }));
  await same();
  for (const { entry, done } of starting) {
    done();
    simple.started(entry, true);
    await same();
  }
  await tier.settled();
  expect(clock.timers).toBe(0);
  for (const name of nameOf.values()) {
    const about = told.filter((fact) => fact.split(' ')[1] === name).map((fact) => fact.split(' ')[0]);
    const [opened, closed] = ['started', 'closed'].map((type) => about.filter((fact) => fact === type).length);
    expect([name, closed]).toEqual([name, opened]);
  }
}

const property = (Tier: typeof ToolSessionTier) =>
  fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), (steps) => compare(Tier, steps));

it('S1, S2, T10, T12, T20, T30 and T31 hold for any sequence of calls, starts, ends, losses and hours: a tier that sorts one array does the same', async () => {
  await fc.assert(property(ToolSessionTier), { numRuns: 120 });
});

class SharedAmongPeople extends ToolSessionTier {
  override open<R>(ask: OpenAsk, start: Start<R>): Promise<OpenAnswer<R>> {
    return super.open({ ...ask, context: { ...ask.context, principal: 'anybody' } }, start);
  }
}
class NeverLetsGo extends ToolSessionTier {
  override async open<R>(ask: OpenAsk, start: Start<R>): Promise<OpenAnswer<R>> {
    const answer = await super.open(ask, start);
    return answer.outcome === 'refused' ? answer : { ...answer, release: () => {} };
  }
}
class ForgetsNoLoss extends ToolSessionTier {
  override drop(): void {}
}
class EndsTooMuch extends ToolSessionTier {
  override fire(event: Firing): number {
    return super.fire(event.kind === 'turn-end' ? { kind: 'shutdown' } : event);
  }
}

it.each([
  ['shares among people', SharedAmongPeople],
  ['never lets go', NeverLetsGo],
  ['forgets no loss', ForgetsNoLoss],
  ['ends too much', EndsTooMuch],
])('the comparison notices a tier that %s', async (_, Faulty) => {
  const { failed } = await fc.check(property(Faulty), { numRuns: 500, endOnFailure: true });
  expect(failed).toBe(true);
});
