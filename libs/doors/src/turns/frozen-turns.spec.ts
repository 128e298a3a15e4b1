import { FreezeBook, type TurnAsk, type TurnRunner } from '@doorledger/turns';
import { Refused } from '../refused.js';
import { frozenTurns } from './frozen-turns.js';

const freezeId = '00000000-0000-4000-8000-000000000001';
const references = { tenantRef: (tenant: string) => `ref of ${tenant}` };

function world() {
  const freezes = new FreezeBook();
  const begun: string[] = [];
  const runner = {
    run: async () => void begun.push('run'),
    resume: async () => void begun.push('resume'),
  } as unknown as Pick<TurnRunner, 'run' | 'resume'>;
  const turns = frozenTurns(runner, { freezes, references });
  const party = { sessionId: 's', signer: 'ann', person: { tenant: 't', principal: 'ann' } };
  const run = () => turns.run({ signer: 'ann', tenantRef: 'ref of t' } as TurnAsk);
  const resume = () => turns.resume({ paused: { party } } as Parameters<TurnRunner['resume']>[0], {} as never);
  return { freezes, begun, run, resume };
}

it.each([{ kind: 'everything' as const }, { kind: 'user' as const, name: 'ann' }, { kind: 'tenant' as const, name: 'ref of t' }])(
  'P6 begins and resumes no turn under %j, until it is lifted',
  async (target) => {
    const { freezes, begun, run, resume } = world();
    freezes.set({ freezeId, target, by: 'op', why: 'because', setAt: 1 });
    for (const work of [run, resume]) {
      const refused = await work().catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(Refused);
      expect((refused as Refused).terminal).toMatchObject({ code: 'ERR_FROZEN', status: 503 });
    }
    expect(begun).toEqual([]);
    freezes.lift(freezeId);
    await Promise.all([run(), resume()]);
    expect(begun).toEqual(['run', 'resume']);
  },
);

it.each([
  { kind: 'tool' as const, name: 'files.write' },
  { kind: 'user' as const, name: 'bob' },
])('P6 begins turns under %j, which stops others', async (target) => {
  const { freezes, begun, run, resume } = world();
  freezes.set({ freezeId, target, by: 'op', why: 'because', setAt: 1 });
  await Promise.all([run(), resume()]);
  expect(begun).toEqual(['run', 'resume']);
});
