import { commandAgent } from './index.js';

it('L20 runs offline: the command agent answers plain text with the same text', async () => {
  const step = commandAgent.step([{ role: 'user', text: 'hello' }], new AbortController().signal);
  const pieces: string[] = [];
  let next = await step.next();
  for (; !next.done; next = await step.next()) pieces.push(next.value);
  expect(pieces).toEqual(['hello']);
  expect(next.value).toEqual({ text: 'hello' });
});
