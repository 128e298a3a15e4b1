import { randomBytes } from 'node:crypto';
import { commandAgent, type Agent, type Message } from '@doorledger/agent';
import { topics } from '@doorledger/contracts';
import { AppendIndefiniteError, type EventLog } from '@doorledger/event-log';
import { TurnHosts, askOf as ask } from './testing/turn-host.js';

const session = topics.session.name;
let hosts: TurnHosts;
beforeEach(async () => (hosts = await TurnHosts.open()));
afterEach(() => hosts.close());

const host: TurnHosts['host'] = (...options) => hosts.host(...options);
const recordsOf: TurnHosts['recordsOf'] = (topic) => hosts.recordsOf(topic);
const typesOf: TurnHosts['typesOf'] = (topic) => hosts.typesOf(topic);

/** Answers when it is told to, with how many messages it was given. */
function slowAgent() {
  const calls: { messages: readonly Message[]; answer: (text: string) => void; signal: AbortSignal }[] = [];
  const agent: Agent = {
    async *step(messages, _tools, signal) {
      const text = await new Promise<string>((resolve) => calls.push({ messages, answer: resolve, signal }));
      yield text;
      return { text };
    },
  };
  const called = async (n: number) => {
    while (calls.length < n) await new Promise(setImmediate);
    return calls[n - 1]!;
  };
  return { agent, called };
}

it('D21 has claimed, stepped and completed on the log, sealed content before them, when the answer is out', async () => {
  const { runner, tail } = await host();
  const asked = ask('hello canary', 's1');
  expect(await runner.run(asked)).toMatchObject({ output: 'hello canary', position: { topic: session } });
  expect(await typesOf(session)).toEqual(['turn.claimed', 'turn.stepped', 'turn.completed']);
  expect(await typesOf(topics.private.name)).toEqual(['session.named', 'messages.added']);
  await tail.close();
});

it('X1 and L10 keep a person’s text out of every public record, and seal it in the private one that a standing record names', async () => {
  const { runner, tail } = await host();
  await runner.run(ask('hello canary', 'canary-session'));
  for (const topic of hosts.topics)
    for (const record of await recordsOf(topic)) expect(Buffer.from(record.value!).toString()).not.toMatch(/canary/);
  const [stepped] = (await recordsOf(session)).filter((r) => r.decoded.type === 'turn.stepped');
  const ref = stepped!.decoded.body!.data.private as { partition: number; offset: number };
  const named = await hosts.log.recordAt({ topic: topics.private.name, ...ref });
  expect(named!.decoded.type).toBe('messages.added');
  await tail.close();
});

it('L14 gives the next turn what was said before, in any process', async () => {
  const first = await host();
  await first.runner.run(ask('one', 's1'));
  await first.runner.run(ask('x'.repeat(10), 's1'));
  await first.tail.close();
  const { agent, called } = slowAgent();
  const second = await host(agent);
  const running = second.runner.run(ask('three', 's1'));
  const { messages, answer } = await called(1);
  expect(messages).toEqual([
    { role: 'user', text: 'one' },
    { role: 'assistant', text: 'one' },
    { role: 'user', text: 'x'.repeat(10) },
    { role: 'assistant', text: 'x'.repeat(10) },
    { role: 'user', text: 'three' },
  ]);
  answer('done');
  await running;
  await second.tail.close();
});

it('R1 refuses a message for a session whose turn runs, on whichever host, and serves it afterwards', async () => {
  const { agent, called } = slowAgent();
  const [a, b] = [await host(agent), await host()];
  const first = a.runner.run(ask('one', 's1'));
  const { answer } = await called(1);
  await expect(b.runner.run(ask('two', 's1'))).rejects.toMatchObject({ code: 'ERR_CONCURRENT_RUN' });
  answer('done');
  await first;
  expect(await b.runner.run(ask('two', 's1'))).toMatchObject({ output: 'two' });
  await Promise.all([a.tail.close(), b.tail.close()]);
});

it('R1 and L5 queue messages by the log’s order under enqueue', async () => {
  const { agent, called } = slowAgent();
  const { runner, tail } = await host(agent, { enqueue: true });
  const turns = [runner.run(ask('one', 's1'))];
  await called(1);
  turns.push(runner.run(ask('two', 's1')));
  (await called(1)).answer('1');
  expect((await called(2)).messages.at(-1)).toEqual({ role: 'user', text: 'two' });
  (await called(2)).answer('2');
  expect(await Promise.all(turns)).toMatchObject([{ output: '1' }, { output: '2' }]);
  await tail.close();
});

it('L13 ends what an earlier life of this host left open, so that a retry right after succeeds', async () => {
  const { agent, called } = slowAgent();
  const killed = await host(agent);
  void killed.runner.run(ask('lost', 's1')).catch(() => {});
  await called(1);
  await killed.tail.close();
  const next = await host();
  await expect(next.runner.run(ask('retry', 's1'))).rejects.toMatchObject({ code: 'ERR_CONCURRENT_RUN' });
  expect(await next.endEarlier()).toBe(1);
  expect(await next.runner.run(ask('retry', 's1'))).toMatchObject({ output: 'retry' });
  await next.tail.close();
});

it('L21 ends a turn that outlives its wall time by a named failure, though its agent never answers', async () => {
  const { agent } = slowAgent();
  const { runner, tail } = await host(agent, { wallTimeMs: 30 });
  await expect(runner.run(ask('x', 's1'))).rejects.toMatchObject({ code: 'ERR_TURN_BOUND', details: { bound: 'wallTimeMs' } });
  expect((await typesOf(session)).at(-1)).toBe('turn.failed');
  await tail.close();
});

it('D24 stops the turn of a caller who is gone, and records how it ended', async () => {
  const { agent, called } = slowAgent();
  const { runner, tail } = await host(agent);
  const gone = new AbortController();
  const running = runner.run(ask('x', 's1', gone.signal));
  const { signal } = await called(1);
  gone.abort();
  await expect(running).rejects.toThrow();
  expect(signal.aborted).toBe(true);
  expect((await recordsOf(session)).at(-1)!.decoded).toMatchObject({ type: 'turn.failed', body: { data: { errorName: 'AbortError' } } });
  await tail.close();
});

it('D20 and D22 record an agent’s error by its class alone', async () => {
  const agent: Agent = {
    async *step() {
      throw new TypeError('canary');
    },
  };
  const { runner, tail } = await host(agent);
  await expect(runner.run(ask('x', 's1'))).rejects.toThrow('canary');
  const last = (await recordsOf(session)).at(-1)!;
  expect(last.decoded.body!.data).toMatchObject({ errorName: 'TypeError' });
  expect(Buffer.from(last.value!).toString()).not.toMatch(/canary/);
  await tail.close();
});

it('L7 answers 503 when the log does not confirm in time, and leaves nothing standing behind', async () => {
  let isDown = false;
  const append: EventLog['append'] = async (topic, records) => {
    if (isDown) throw new AppendIndefiniteError('ERR_APPEND_UNKNOWN', 'no answer');
    return hosts.log.append(topic, records);
  };
  const { runner, view, tail } = await host(commandAgent, { append });
  isDown = true;
  await expect(runner.run(ask('x'))).rejects.toMatchObject({ code: 'ERR_LOG_UNAVAILABLE' });
  expect(view.size.live).toBe(0);
  await tail.close();
});

it('L10 splits content past the record bound and names it by one hash', async () => {
  const { runner, tail } = await host();
  const long = randomBytes(400 * 1024).toString('hex');
  expect(await runner.run(ask(long, 's1'))).toMatchObject({ output: long });
  const parts = (await recordsOf(topics.private.name)).filter((r) => r.decoded.type === 'messages.added');
  const data = parts.map((r) => r.decoded.body!.data as { part: { index: number; count: number; whole: string } });
  expect(parts.length).toBeGreaterThan(1);
  expect(data.map((d) => d.part.index)).toEqual(data.map((_, i) => i));
  const stepped = (await recordsOf(session)).find((r) => r.decoded.type === 'turn.stepped')!;
  expect(stepped.decoded.body!.data.private).toMatchObject({ offset: parts[0]!.offset, hash: data[0]!.part.whole });
  await tail.close();
});

it('L9 takes no turn while the ledger is too far behind the log, claims nothing for it, and is behind no more once the ledger has read on', async () => {
  const { runner, view, tail } = await host(commandAgent, { maxRecent: 6 });
  for (let n = 0; n < 3; n++) await runner.run(ask('hello', `s${n}`));
  expect(view.size).toEqual({ live: 0, recent: 9 });
  await expect(runner.run(ask('one more', 's1'))).rejects.toMatchObject({ code: 'ERR_LEDGER_BEHIND' });
  expect(view.size.recent).toBe(9);
  for (const record of await recordsOf(session)) view.projected(record.partition, record.offset + 1);
  expect(view.size).toEqual({ live: 0, recent: 0 });
  expect(view.isBehind).toBe(false);
  await tail.close();
});
