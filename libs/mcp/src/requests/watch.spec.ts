import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { ConnectionGuard } from './connection-guard.js';
import { CallReplay } from './call-replay.js';
import { RequestLedger } from './request-ledger.js';
import { MARKER, watch } from './watch.js';

function watched(strict = false) {
  const sent: JSONRPCMessage[] = [];
  const heard: JSONRPCMessage[] = [];
  const unmatched: string[] = [];
  const transport: Transport = {
    start: async () => {},
    close: async () => {},
    send: async (message) => void sent.push(message),
    onmessage: (message) => void heard.push(message),
  };
  const [ledger, guard] = [new RequestLedger(), new ConnectionGuard()];
  const state = watch(transport, { ledger, guard, strict, onUnmatched: () => unmatched.push('told') });
  const replay = new CallReplay();
  const ticket = ledger.issue({ replay, onLoss: () => {} });
  return { sent, heard, unmatched, transport, ledger, guard, state, replay, ticket };
}

const call = (id: number | string, meta?: Record<string, unknown>) =>
  ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'x', ...(meta && { _meta: meta }) } }) as JSONRPCMessage;

describe('the watched send', () => {
  it('M10 takes the marker out again and leaves everything else as it was', async () => {
    const { transport, sent, ticket, guard } = watched();
    guard.hold('call');
    await transport.send(call(1, { [MARKER]: ticket.marker }));
    await transport.send(call(2, { [MARKER]: 'spent', progressToken: 2 }));
    await transport.send(call(3, { a: 1 }));
    expect(sent.map((message) => JSON.stringify(message))).toEqual([
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}',
      '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x","_meta":{"progressToken":2}}}',
      '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"x","_meta":{"a":1}}}',
    ]);
  });

  it('M12 a cancel carries no reason, is never refused, and stops its call before it is sent', async () => {
    const { transport, sent, ledger, guard, ticket } = watched();
    const release = guard.hold('call');
    await transport.send(call(1, { [MARKER]: ticket.marker }));
    release();
    guard.shut();
    const entry = ledger.claim(1);
    await transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, reason: 'Ada left' } });
    expect(entry?.stop.signal.aborted).toBe(true);
    expect(sent[1]).toEqual({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    expect([guard.notifications, guard.cancels]).toEqual([1, 1]);
  });

  it('M13 refuses a call without an issued, unused marker, unsent', async () => {
    const { transport, sent, ticket, guard } = watched(true);
    guard.hold('call');
    transport.onmessage?.({ jsonrpc: '2.0', id: 0, result: {} });
    await expect(transport.send(call(1))).rejects.toMatchObject({ code: 'ERR_REQUEST_UNMATCHED' });
    await expect(transport.send(call(2, { [MARKER]: 'made up' }))).rejects.toMatchObject({ code: 'ERR_REQUEST_UNMATCHED' });
    await transport.send(call(3, { [MARKER]: ticket.marker }));
    await expect(transport.send(call(4, { [MARKER]: ticket.marker }))).rejects.toMatchObject({ code: 'ERR_REQUEST_UNMATCHED' });
    expect(sent).toHaveLength(1);
  });

  it('M14 sends no strict call before an answer passed the observer, which runs before the handler that was there', async () => {
    const { transport, sent, heard, state, ticket, guard, replay } = watched(true);
    guard.hold('call');
    await expect(transport.send(call(1, { [MARKER]: ticket.marker }))).rejects.toMatchObject({ code: 'ERR_ANSWERS_UNOBSERVED' });
    transport.onmessage?.({ jsonrpc: '2.0', id: 0, result: {} });
    expect(state?.isObserving).toBe(true);
    expect(heard).toHaveLength(1);
    await transport.send(call(1, { [MARKER]: ticket.marker }));
    transport.onmessage?.({ jsonrpc: '2.0', id: '1', result: {} });
    expect(replay.answered).toBe(false);
    transport.onmessage?.({ jsonrpc: '2.0', id: 1, result: {} });
    expect([replay.answered, sent.length, heard.length]).toEqual([true, 1, 3]);
  });

  it('M15 is bound to the instance for good, and a transport that cannot be watched is not', () => {
    const { transport, ledger, guard } = watched();
    const options = { ledger, guard, strict: false, onUnmatched: () => {} };
    expect(() => {
      transport.send = async () => {};
    }).toThrow(TypeError);
    expect(() => watch(transport, options)).toThrow(TypeError);
    const frozen: Transport = Object.freeze({ start: async () => {}, close: async () => {}, send: async () => {} });
    expect(watch(frozen, options)).toBeUndefined();
  });

  it('M17 refuses a request that nobody holds the guard for, under every policy; notifications are counted', async () => {
    const { transport, sent, guard } = watched();
    for (const method of ['tools/call', 'tools/list', 'initialize', 'resources/read']) {
      await expect(transport.send({ jsonrpc: '2.0', id: 1, method })).rejects.toMatchObject({ code: 'ERR_REQUEST_UNGUARDED' });
    }
    const release = guard.hold('list');
    await transport.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    release();
    release();
    await expect(transport.send({ jsonrpc: '2.0', id: 2, method: 'tools/list' })).rejects.toMatchObject({ code: 'ERR_REQUEST_UNGUARDED' });
    await transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([sent.length, guard.notifications]).toEqual([2, 1]);
    guard.shut();
    expect(() => guard.hold('call')).toThrow(expect.objectContaining({ code: 'ERR_CONNECTION_CLOSED' }));
    expect(guard.hold('close')).toBeInstanceOf(Function);
  });

  it('M19 names an unmatched call once per connection', async () => {
    const { transport, unmatched, ledger, guard } = watched();
    guard.hold('call');
    await transport.send(call(1));
    await transport.send(call(2));
    expect([unmatched, ledger.sent]).toEqual([['told'], 2]);
  });

  it('L2 sends nothing for a call whose dispatch has become too old', async () => {
    const { transport, sent, ledger, guard } = watched();
    guard.hold('call');
    const ticket = ledger.issue({ replay: new CallReplay(), onLoss: () => {}, maySend: () => false });
    await expect(transport.send(call(1, { [MARKER]: ticket.marker }))).rejects.toMatchObject({ code: 'ERR_SEND_WINDOW' });
    expect(sent).toEqual([]);
  });
});
