import { CallReplay } from './call-replay.js';
import { callIdOf, idOfEnds } from './answer-id.js';
import { RequestLedger } from './request-ledger.js';

const issue = (ledger: RequestLedger) => ledger.issue({ replay: new CallReplay(), onLoss: () => {} });

describe('the request ledger', () => {
  it('M11 a marker matches one request, and 1 and "1" are two ids', () => {
    const ledger = new RequestLedger();
    const [a, b] = [issue(ledger), issue(ledger)];
    const first = ledger.file(1, a.marker);
    const second = ledger.file('1', b.marker);
    const again = ledger.file(2, a.marker);
    expect([first.matched, second.matched, again.matched]).toEqual([true, true, false]);
    expect(ledger.claim(1)?.replay).toBe(a.call.replay);
    expect(ledger.claim('1')?.replay).toBe(b.call.replay);
    ledger.answered('1');
    expect([a.call.replay.answered, b.call.replay.answered]).toEqual([false, true]);
  });

  it('M11 bodies are worth reading only while a request is on its way to HTTP', () => {
    const ledger = new RequestLedger();
    expect(ledger.isSending).toBe(false);
    const ticket = issue(ledger);
    expect(ledger.isSending).toBe(false);
    ledger.file(1, ticket.marker);
    expect(ledger.isSending).toBe(true);
    ledger.claim(1);
    ledger.claim(1);
    expect(ledger.isSending).toBe(false);
    ledger.file(2, issue(ledger).marker);
    ledger.file(3, undefined);
    ledger.cancel(3);
    expect(ledger.isSending).toBe(true);
  });

  it('M12 and M19 every call has an entry and is counted, matched or not; a cancel stops its series at once', () => {
    const ledger = new RequestLedger();
    const matched = ledger.file(1, issue(ledger).marker);
    const unmatched = ledger.file(2, undefined);
    ledger.cancel(1);
    ledger.cancel(2);
    ledger.cancel(3);
    expect([matched.stop.signal.aborted, unmatched.stop.signal.aborted, ledger.sent]).toEqual([true, true, 2]);
  });

  it('M16 holds nothing after every call settled, and the replay outlives it', () => {
    const ledger = new RequestLedger();
    const [sent, neverSent] = [issue(ledger), issue(ledger)];
    ledger.file(1, sent.marker);
    ledger.file(2, undefined);
    ledger.answered(1);
    ledger.answered(2);
    expect(ledger.size).toBe(2);
    ledger.settle(sent);
    ledger.settle(neverSent);
    ledger.settle(sent);
    expect(ledger.size).toBe(0);
    expect(sent.call.replay).toMatchObject({ answered: true, settled: true });
  });

  it('M18 the settling of a call and the close of its connection stop its series', async () => {
    const ledger = new RequestLedger();
    const [a, b] = [issue(ledger), issue(ledger)];
    const [first, second] = [ledger.file(1, a.marker), ledger.file(2, b.marker)];
    const empty = ledger.whenEmpty();
    ledger.settle(a);
    expect([first.stop.signal.aborted, second.stop.signal.aborted]).toEqual([true, false]);
    ledger.close();
    expect(second.stop.signal.aborted).toBe(true);
    ledger.settle(b);
    await empty;
  });
});

describe('ids read from messages', () => {
  it.each([
    ['{"method":"tools/call","params":{"arguments":{"id":9}},"jsonrpc":"2.0","id":4}', 4],
    ['{"method":"tools/call","params":{},"jsonrpc":"2.0","id":"4"}', '4'],
    ['{"id":"a\\"b","method":"tools/call"}', 'a"b'],
    ['{"jsonrpc":"2.0","id":4,"result":{"content":"tools/call"}}', undefined],
    ['{"method":"tools/list","jsonrpc":"2.0","id":4}', undefined],
    ['{"method":"tools/call","params":{"id":4}}', undefined],
    ['tools/call, not JSON', undefined],
  ])('M11 claims only a tools/call, by its own id: %s', (body, id) => expect(callIdOf(body)).toBe(id));

  it.each([
    ['{"jsonrpc":"2.0","id":7,"result":{', '}}', 7],
    ['{"id":"7","result":{', '}}', '7'],
    ['{"result":{"content":[', ']},"jsonrpc":"2.0","id":8}', 8],
    ['{"result":{"content":[', '{"id":8}]}}', undefined],
    ['{"result":{"id":8,', '"more":1}}', undefined],
  ])('M6 says whose answer was too large only where it is certain: %s…%s', (head, tail, id) => expect(idOfEnds(head, tail)).toBe(id));
});
