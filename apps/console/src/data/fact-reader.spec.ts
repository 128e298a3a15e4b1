import { FactReader } from './fact-reader.js';

const frame = (offset: number) =>
  `id: place-${offset}\nevent: fact\ndata: ${JSON.stringify({ topic: 't', partition: 0, offset, at: 'now', event: { type: 'turn.claimed' } })}\n\n`;

it('P2 reads frames in whatever pieces they come, and the place after each', () => {
  const text = `id: begin\n\n${frame(1)}${frame(2)}`;
  for (let cut = 0; cut <= text.length; cut += 7) {
    const reader = new FactReader();
    const [first, second] = [reader.read(text.slice(0, cut)), reader.read(text.slice(cut))];
    expect([...first.notes, ...second.notes].map(({ position }) => position)).toEqual(['t:0:1', 't:0:2']);
    expect(second.id ?? first.id).toBe('place-2');
  }
});
