import { topics } from '@doorledger/contracts';
import { TurnHosts, askOf } from './testing/turn-host.js';

let hosts: TurnHosts;
beforeEach(async () => (hosts = await TurnHosts.open()));
afterEach(() => hosts.close());

it('L14 reads from the log what the ledger knows the place of and has not read, where the own tail has let it go', async () => {
  const { runner, historyWith } = await hosts.host();
  const asked = askOf('newest', 's1');
  await runner.run(asked);
  const [stepped] = (await hosts.recordsOf(topics.session.name)).filter(({ decoded }) => decoded.type === 'turn.stepped');
  const unread = [stepped!.decoded.body!.data.private as { partition: number; offset: number; hash: string }];
  const said = await historyWith({ read: [], unread })(asked.session!.ref, { citations: [] } as never);
  expect(said.flatMap(({ messages }) => messages)).toEqual([
    { role: 'user', text: 'newest' },
    { role: 'assistant', text: 'newest' },
  ]);
});
