import { callPiece, chunkOf } from '../testing/chat-server.js';
import { ChatAnswer } from './chat-answer.js';

function answerOf(...chunks: unknown[]) {
  const answer = new ChatAnswer();
  const pieces = chunks.map((chunk) => answer.add(chunk));
  return { pieces: pieces.filter((piece) => piece !== ''), ...answer.end('small', (name) => name) };
}
const callsOf = (...pieces: object[]) => answerOf(...pieces.map((piece) => chunkOf(piece)), chunkOf({}, 'tool_calls')).end.calls;
const two = [
  { name: 'add', args: '{"a":1}' },
  { name: 'add', args: '{"a":2}' },
];

it('L20 tells two calls apart that a provider gives the same index', () => {
  expect(
    callsOf(callPiece({ index: 0, id: 'a', name: 'add', args: '{"a":1}' }), callPiece({ index: 0, id: 'b', name: 'add', args: '{"a":2}' })),
  ).toEqual(two);
});

it.each([
  ['with ids', 'a', 'b'],
  ['without ids', undefined, undefined],
])('L20 tells two calls apart that a provider gives no index, %s', (_how, one, other) => {
  expect(
    callsOf(
      callPiece({ ...(one && { id: one }), name: 'add', args: '{"a"' }),
      callPiece({ args: ':1}' }),
      callPiece({ ...(other && { id: other }), name: 'add', args: '{"a":2}' }),
    ),
  ).toEqual(two);
});

it('L20 takes a name or an id that is said with every piece once', () => {
  expect(
    callsOf(
      callPiece({ index: 0, id: 'a', name: 'add', args: '{"a"' }),
      callPiece({ index: 0, id: 'a', name: 'add', args: ':1' }),
      callPiece({ index: 0, id: '', name: '', args: '}' }),
    ),
  ).toEqual([two[0]]);
});

it('L20 keeps the calls of a model that says it just stopped', () => {
  expect(answerOf(chunkOf(callPiece({ index: 0, name: 'add', args: '' }), 'stop')).end.calls).toEqual([{ name: 'add', args: '{}' }]);
});

it('L20 says at the end of an answer that it was cut at the limit of tokens, and tells that too', () => {
  const { pieces, end, rest } = answerOf(chunkOf({ content: 'Once upon' }, 'length'));
  expect(rest).toContain('limit of tokens');
  expect(end).toEqual({ text: pieces.join('') + rest });
});

it('L20 takes what a model says instead of an answer for its answer', () => {
  expect(answerOf(chunkOf({ content: null, refusal: 'I would rather not.' }, 'stop')).end).toEqual({ text: 'I would rather not.' });
});

it('L20 takes the last count of tokens of a provider that counts with every chunk', () => {
  const usage = (completion_tokens: number) => ({ ...chunkOf({ content: '.' }, 'stop'), usage: { prompt_tokens: 3, completion_tokens } });
  expect(answerOf(usage(1), usage(2)).end.usage).toEqual({ inputTokens: 3, outputTokens: 2, model: 'small' });
});

it('L20 passes what it does not know', () => {
  expect(
    answerOf({ prompt_filter_results: [] }, { choices: [null] }, chunkOf({ reasoning_content: 'hm' }), chunkOf({ content: 'x' }, 'eos'))
      .end,
  ).toEqual({
    text: 'x',
  });
});
