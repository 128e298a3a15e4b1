import type { ConsentNews } from '@doorledger/ledger';
import { hears } from './endpoint.js';
import { webhookEventOf } from './webhook-event.js';

const consent = {
  requestId: 'a'.repeat(64),
  turnId: 'turn',
  state: 'approved',
  became: { state: 'under-way' },
  server: 'mail',
  tool: 'send',
} as const;
const news = (more: Partial<ConsentNews> = {}): ConsentNews => ({ kind: 'settled', at: 1_750_000_000_000, consent, ...more });
const outcome = (state: 'ran' | 'outcome-unknown', at = 1) => news({ kind: 'outcome', at, consent: { ...consent, became: { state } } });

it('N54 says what the ledger shows of a request, when, and where to decide it', () => {
  const { type, body } = webhookEventOf(news(), 'https://desk.example/r/{requestId}?turn={turnId}');
  const link = `https://desk.example/r/${consent.requestId}?turn=turn`;
  expect(type).toBe('consent.settled');
  expect(JSON.parse(body)).toEqual({ type, timestamp: '2025-06-15T15:06:40.000Z', data: { ...consent, link } });
  expect(JSON.parse(webhookEventOf(news()).body)).toMatchObject({ data: consent });
});

it('N54 names an event the same whenever it is told, and two events never', () => {
  const settled = webhookEventOf(news()).id;
  expect(settled).toMatch(/^msg_[0-9a-f]{32}$/);
  expect(webhookEventOf(news({ at: 5, consent: { ...consent, became: { state: 'ran' } } }), 'https://desk.example/').id).toBe(settled);
  const others = [news({ kind: 'waiting' }), outcome('ran'), outcome('outcome-unknown'), outcome('ran', 2)];
  others.push(news({ consent: { ...consent, requestId: 'b'.repeat(64) } }));
  expect(new Set([settled, ...others.map((of) => webhookEventOf(of).id)]).size).toBe(1 + others.length);
});

it('N54 and P1 tell an endpoint of the events and the tenant that it was named for, and of no other', () => {
  const events = new Set(['consent.settled'] as const);
  const endpoint = { name: 'one', url: '', secrets: [], events };
  const told = (tenantRef?: string) =>
    [undefined, 'acme', 'other'].map((of) =>
      hears({ ...endpoint, ...(tenantRef && { tenantRef }) }, { type: 'consent.settled', ...(of && { tenantRef: of }) }),
    );
  expect([told(), told('acme'), told('*')]).toEqual([
    [true, false, false],
    [false, true, false],
    [true, true, true],
  ]);
  expect(hears(endpoint, { type: 'consent.waiting' })).toBe(false);
});
