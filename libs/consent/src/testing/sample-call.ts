import { mint } from '../mint.js';
import type { PausedRequest } from '../paused-request.js';
import type { UnboundCall } from '../call.js';

export const NONCE = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex');
export const LEDGER = '0198d6a0-0000-7000-8000-000000000001';

const terms = {
  server: 'mail',
  tool: 'send_mail',
  toolHash: 'a'.repeat(64),
  callId: '7f2c1f0e-6f0e-4a5b-9a53-0d3c5b6a7e01',
  party: { issuer: 'https://issuer.example', tenant: 't1', subject: 'u1' },
  args: { to: 'a@b.example', body: 'Hello' },
} as const;

export const checkIn: UnboundCall = { ...terms, gate: 'checkIn' };
export const ask: UnboundCall = { ...terms, gate: 'ask', ask: { rule: 'large-sums', index: 1, chain: ['large-sums', 'business-hours'] } };

/** The call as it stands in a paused state. */
export function pausedOn(call: UnboundCall): PausedRequest {
  const minted = mint(call, NONCE);
  return { pending: { id: minted.requestId, nonce: NONCE.toString('hex'), ledger: LEDGER }, call: minted.call };
}
