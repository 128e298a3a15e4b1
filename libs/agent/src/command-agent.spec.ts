import { commandAgent, type Message, type StepEnd } from './index.js';

async function step(...messages: Message[]): Promise<StepEnd & { pieces: string[] }> {
  const running = commandAgent.step(messages, [], new AbortController().signal);
  const pieces: string[] = [];
  let next = await running.next();
  for (; !next.done; next = await running.next()) pieces.push(next.value);
  return { ...next.value, pieces };
}
const user = (text: string): Message => ({ role: 'user', text });

it('L20 runs offline: the command agent answers plain text with the same text', async () => {
  expect(await step(user('hello'))).toEqual({ pieces: ['hello'], text: 'hello' });
});

it('L20 takes each line `/call server.tool {json}` for a call, and all of them for one step', async () => {
  expect(await step(user('/call files.read {"path":"a"}\n/call files.list'))).toEqual({
    pieces: [],
    text: '',
    calls: [
      { name: 'files.read', args: '{"path":"a"}' },
      { name: 'files.list', args: '{}' },
    ],
  });
});

it.each(['look: /call files.read', '/call files.read\nplease', '/callfiles.read', '/call'])(
  'L20 takes %j for text: a message is calls or text, never both',
  async (text) => expect((await step(user(text))).calls).toBeUndefined(),
);

it('L20 answers with the results of the calls of the last step, in their order', async () => {
  const result = (callId: string, text: string): Message => ({ role: 'tool', callId, name: 'files.read', outcome: 'ok', text });
  expect(await step(user('before'), result('0', 'old'), user('/call files.read'), result('1', 'one'), result('2', 'two'))).toEqual({
    pieces: ['one\ntwo'],
    text: 'one\ntwo',
  });
});
