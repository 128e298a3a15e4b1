import { topics } from '@doorledger/contracts';
import { sessionHistory } from './history.js';
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

describe('L14 reads of a session only what was said since it was last read here', () => {
  /** The ledger of one session: all that its records name up to now, past the offset that is asked for. */
  async function ledgerOf(sessionKey: string) {
    const stored = new Map((await hosts.recordsOf(topics.private.name)).map((record) => [`${record.partition}:${record.offset}`, record]));
    const asks: number[] = [];
    const read = (await hosts.recordsOf(topics.session.name))
      .filter(({ decoded }) => decoded.type === 'turn.stepped')
      .map(({ decoded, offset: namedAt }) => {
        const { partition, offset } = decoded.body!.data.private as { partition: number; offset: number };
        const { turnId, runId, keyId, sealed } = stored.get(`${partition}:${offset}`)!.decoded.body!.data as Record<string, string>;
        const content = { turnId: turnId!, runId: runId!, keyId: keyId!, sealed: Buffer.from(sealed!, 'base64') };
        return { namedAt, row: { ...content, type: 'messages.added', partition, offset, namedBy: 'turn.stepped' } };
      });
    const messagesOf = async (key: string, after = -1) => {
      expect(key).toBe(sessionKey);
      asks.push(after);
      const rows = read.filter(({ namedAt }) => namedAt > after);
      return { read: rows.map(({ row }) => row), unread: [], ...(rows.length > 0 && { readUntil: rows.at(-1)!.namedAt }) };
    };
    return { messagesOf, asks, last: read.at(-1)!.namedAt };
  }
  const nothingMet = { citations: [] } as never;

  it('and says the same as all of it read anew', async () => {
    const { runner, keys } = await hosts.host();
    let current!: Awaited<ReturnType<typeof ledgerOf>>;
    const history = sessionHistory({ ledger: { messagesOf: (key, after) => current.messagesOf(key, after) }, log: hosts.log, keys });
    for (const text of ['one', 'two', 'three']) {
      const asked = askOf(text, 's1');
      await runner.run(asked);
      const before = current?.last ?? -1;
      current = await ledgerOf(asked.session!.ref);
      const anew = await sessionHistory({ ledger: current, log: hosts.log, keys })(asked.session!.ref, nothingMet);
      expect(await history(asked.session!.ref, nothingMet)).toEqual(anew);
      expect(current.asks).toEqual([-1, before]);
    }
  });

  it('and hands each reader messages of its own', async () => {
    const { runner, keys } = await hosts.host();
    const asked = askOf('mine', 's1');
    await runner.run(asked);
    const history = sessionHistory({ ledger: await ledgerOf(asked.session!.ref), log: hosts.log, keys });
    const [first] = await history(asked.session!.ref, nothingMet);
    (first!.messages[0] as { text: string }).text = 'changed';
    expect((await history(asked.session!.ref, nothingMet))[0]!.messages[0]).toMatchObject({ text: 'mine' });
  });

  it('X2 and never what was sealed under a key that is gone', async () => {
    const { runner, keys } = await hosts.host();
    const asked = askOf('secret', 's1');
    await runner.run(asked);
    const history = sessionHistory({ ledger: await ledgerOf(asked.session!.ref), log: hosts.log, keys });
    expect(await history(asked.session!.ref, nothingMet)).toHaveLength(1);
    await keys.destroy({ kind: 'session', ref: asked.session!.ref });
    await expect(history(asked.session!.ref, nothingMet)).rejects.toMatchObject({ code: 'ERR_CONTENT_KEY_LOST' });
    await expect(history(asked.session!.ref, nothingMet)).rejects.toMatchObject({ code: 'ERR_CONTENT_KEY_LOST' });
  });
});
