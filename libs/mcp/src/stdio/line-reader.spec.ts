import fc from 'fast-check';
import { LineReader } from './line-reader.js';

function read(chunks: readonly string[], max = 1_000) {
  const lines: string[] = [];
  const tooLong: [string, string][] = [];
  const reader = new LineReader({ max, onLine: (line) => lines.push(line), onTooLong: (head, tail) => tooLong.push([head, tail]) });
  for (const chunk of chunks) reader.take(Buffer.from(chunk));
  return { lines, tooLong };
}

describe('lines of a pipe', () => {
  it('M8 are the same however the bytes are cut', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 8 })), (chunks) => {
        const whole = `${chunks.join('')}\n`;
        const expected = whole
          .split('\n')
          .map((line) => line.trim())
          .filter((line) => line !== '');
        expect(read([...chunks, '\n']).lines).toEqual(expected);
      }),
    );
  });

  it('M6 past the bound leave their two ends and no more, and the next line is whole', () => {
    const long = `{"id":7,${'x'.repeat(5_000)}"end":1}`;
    const chunks = [...(long.match(/.{1,600}/g) ?? []), '\nnext\n'];
    const { lines, tooLong } = read(chunks);
    expect(lines).toEqual(['next']);
    expect(tooLong).toEqual([[long.slice(0, 256), long.slice(-256)]]);
  });
});
