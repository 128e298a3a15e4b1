import fc from 'fast-check';
import type { Asking, UnboundCall } from './call.js';
import { canonicalJson } from './canonical-json.js';
import { UnbindableError } from './errors.js';
import { mint } from './mint.js';
import { isCommitted } from './paused-request.js';
import { jsonObject, shuffled } from './testing/arbitrary-json.js';
import { ask, checkIn, NONCE, pausedOn } from './testing/sample-call.js';
import { toolHash } from './tool-hash.js';

const idOf = (call: UnboundCall, nonce: Uint8Array = NONCE) => mint(call, nonce).requestId;
const asking = ask.ask as Asking;

describe('mint', () => {
  it('N2 and N3 gives two calls one id exactly where their canonical texts are equal', () => {
    fc.assert(
      fc.property(jsonObject, jsonObject, (a, b) => {
        const id = idOf({ ...checkIn, args: a });
        expect(id).toMatch(/^[0-9a-f]{64}$/);
        expect(idOf({ ...checkIn, args: shuffled(a) })).toBe(id);
        expect(idOf({ ...checkIn, args: b }) === id).toBe(canonicalJson(a) === canonicalJson(b));
      }),
    );
  });

  it.each<[string, UnboundCall, UnboundCall]>([
    ['the gate', checkIn, { ...checkIn, gate: 'ask', ask: asking }],
    ['the server', checkIn, { ...checkIn, server: 'mail2' }],
    ['the tool', checkIn, { ...checkIn, tool: 'send_mail2' }],
    ['the tool definition', checkIn, { ...checkIn, toolHash: 'b'.repeat(64) }],
    ['the call id', checkIn, { ...checkIn, callId: '7f2c1f0e-6f0e-4a5b-9a53-0d3c5b6a7e02' }],
    ['the issuer', checkIn, { ...checkIn, party: { ...checkIn.party, issuer: 'https://other.example' } }],
    ['the tenant', checkIn, { ...checkIn, party: { ...checkIn.party, tenant: 't2' } }],
    ['the subject', checkIn, { ...checkIn, party: { ...checkIn.party, subject: 'u2' } }],
    ['an absent tenant', checkIn, { ...checkIn, party: { ...checkIn.party, tenant: undefined } }],
    ['an argument', checkIn, { ...checkIn, args: { to: 'a@b.example', body: 'Hello!' } }],
    ['an added argument', checkIn, { ...checkIn, args: { to: 'a@b.example', body: 'Hello', bcc: null } }],
    ['the asking rule', ask, { ...ask, ask: { ...asking, rule: 'other' } } as UnboundCall],
    ['its index', ask, { ...ask, ask: { ...asking, index: 2 } } as UnboundCall],
    ['a rule after it', ask, { ...ask, ask: { ...asking, chain: ['large-sums'] } } as UnboundCall],
    ['the order of the rules', ask, { ...ask, ask: { ...asking, chain: [...asking.chain].reverse() } } as UnboundCall],
  ])('N1 binds %s', (_, call, other) => {
    expect(idOf(other)).not.toBe(idOf(call));
  });

  it('N1 binds the tool definition the approver saw, and nothing else a server says of the tool', () => {
    const tool = { name: 'send_mail', description: 'Sends.', inputSchema: { type: 'object' } };
    const hash = toolHash(tool);
    expect(toolHash({ ...tool, annotations: { title: 'x' } } as typeof tool)).toBe(hash);
    for (const other of [
      { name: 'x' },
      { description: 'Sends' },
      { description: undefined },
      { inputSchema: { type: 'object', required: [] } },
    ])
      expect(toolHash({ ...tool, ...other })).not.toBe(hash);
    expect(() => toolHash({ ...tool, inputSchema: { a: 1n } })).toThrow(expect.objectContaining({ path: '/inputSchema/a' }));
  });

  it('N1 leaves behind what is no part of a call', () => {
    expect(idOf({ ...checkIn, model: 'm', party: { ...checkIn.party, name: 'A. Nybody' } } as unknown as UnboundCall)).toBe(idOf(checkIn));
  });

  it('N6 never gives two pauses one id, even for the same tool, call id and arguments', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), fc.uint8Array({ minLength: 16, maxLength: 16 }), (a, b) => {
        expect(idOf(checkIn, a) === idOf(checkIn, b)).toBe(Buffer.compare(a, b) === 0);
      }),
    );
    expect(() => idOf(checkIn, NONCE.subarray(1))).toThrow(RangeError);
  });

  it('N5 hands back a copy that nothing can change, neither by the original nor by itself', () => {
    fc.assert(
      fc.property(jsonObject, (frozenArgs) => {
        const args = JSON.parse(JSON.stringify({ ...frozenArgs, list: [{ x: 1 }] })) as { list: { x: number }[] };
        const { call } = mint({ ...checkIn, args }, NONCE);
        const before = canonicalJson(call);
        args.list[0]!.x = 2;
        args.list.push({ x: 3 });
        expect(canonicalJson(call)).toBe(before);
        expect(isDeeplyFrozen(call)).toBe(true);
      }),
    );
  });

  it('N5 reads each argument once: what was bound is what runs', () => {
    let reads = 0;
    const args = {
      get amount() {
        return ++reads;
      },
    };
    const paused = pausedOn({ ...checkIn, args });
    expect([paused.call.args, isCommitted(paused)]).toEqual([{ amount: 1 }, true]);
  });

  it.each<[string, unknown, string]>([
    ['null', null, '/args'],
    ['nothing', undefined, '/args'],
    ['text', '{}', '/args'],
    ['an array', [], '/args'],
    ['a Date', new Date(0), '/args'],
    ['a Map inside', { a: [new Map()] }, '/args/a/0'],
  ])('N4 binds no arguments that are %s', (_, args, path) => {
    expect(() => mint({ ...checkIn, args }, NONCE)).toThrow(UnbindableError);
    expect(() => mint({ ...checkIn, args }, NONCE)).toThrow(expect.objectContaining({ path }));
  });
});

function isDeeplyFrozen(value: unknown): boolean {
  return typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen));
}
