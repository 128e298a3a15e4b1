import { MessageBudget } from './message-budget.js';

const chunk = (text: string) => Buffer.from(text);

describe('the bytes of one message', () => {
  it('M6 are bounded, in however many pieces they come', () => {
    const budget = new MessageBudget(10, false);
    expect(['12345', '67890', 'x'].map((text) => budget.take(chunk(text)))).toEqual([true, true, false]);
  });

  it('M6 and M8 begin anew after each event of a stream, so that much progress is no large answer', () => {
    const budget = new MessageBudget(10, true);
    for (let n = 0; n < 100; n++) expect(budget.take(chunk('data: 1\n\n'))).toBe(true);
    expect(['data: 12', '3\n', '\n', '12345678', '\r\n\r\n1234567890'].map((text) => budget.take(chunk(text)))).toEqual([
      true,
      true,
      true,
      true,
      true,
    ]);
    expect(budget.take(chunk('1'))).toBe(false);
  });
});
