import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CensusCheck } from '@doorledger/ledger';
import { keyServer, type KeyServer } from '../../libs/access/src/identity/testing/key-server.js';
import { signed, signingKey, type SigningKey } from '../../libs/access/src/identity/testing/signing.js';
import { Peer, refusal } from '../../libs/doors/src/ws/testing/peer.js';
import { serve, type Served } from '../faults/served-process.js';

jest.setTimeout(120_000);
const ISSUER = 'https://issuer.example';
let dir: string;
let keys: KeyServer;
let key: SigningKey;
let served: Served;
const settings = () => ({
  DOORLEDGER_OIDC_ISSUER: ISSUER,
  DOORLEDGER_OIDC_AUDIENCES: 'doors',
  DOORLEDGER_OIDC_JWKS_URI: keys.url,
  DOORLEDGER_OIDC_ROLES_CLAIM: 'roles',
  DOORLEDGER_IDENTITY_CLOCK_TOLERANCE_S: '0',
});
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'doorledger-conversation-'));
  keys = await keyServer();
  key = await signingKey('ES256', 'one');
  keys.answer = { keys: [key.publicJwk] };
  served = await serve(dir, settings());
});
afterAll(async () => {
  await served.stop();
  await keys.close();
  rmSync(dir, { recursive: true, force: true });
});

const at = () => new URL(served.url).host;
const tokenOf = (sub: string, lastsS = 600, roles: string[] = []) =>
  signed(key, { iss: ISSUER, aud: 'doors', sub, roles, exp: Math.floor(Date.now() / 1000) + lastsS });
const as = async (sub: string, lastsS?: number) => ({ headers: { authorization: `Bearer ${await tokenOf(sub, lastsS)}` } });

it('C3 and C4 hold a conversation in a session of its owner, and nobody else is let in', async () => {
  const peer = await Peer.open(at(), await as('ann'), '/conversation?sessionId=talk');
  peer.say({ id: 1, input: 'zwölf' });
  expect(await peer.terminal(1)).toEqual({ id: 1, event: 'complete', data: { output: 'zwölf' } });
  peer.say({ id: 2, op: 'session-transcript' });
  expect(await peer.terminal(2)).toMatchObject({
    event: 'sessions',
    data: {
      transcript: {
        sessionId: 'talk',
        messages: [
          { role: 'user', text: 'zwölf' },
          { role: 'assistant', text: 'zwölf' },
        ],
      },
    },
  });
  expect(await refusal(at(), await as('bob'), '/conversation?sessionId=talk')).toMatchObject({ status: 404 });
  expect(await refusal(at())).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
  const other = await Peer.open(at(), await as('bob'));
  other.say({ id: 1, input: 'x', sessionId: 'talk' });
  expect(await other.terminal(1)).toMatchObject({ event: 'error', data: { code: 'ERR_SESSION_NOT_FOUND' } });
});

it('C4 ends a conversation when its token expires', async () => {
  const peer = await Peer.open(at(), await as('ann', 2));
  expect((await peer.closed).code).toBe(1008);
});

it('C2 and R2 stop the host with conversations open: each ends with 1001, and the census of E9 and E12 adds up', async () => {
  const peers = await Promise.all(Array.from({ length: 20 }, async () => Peer.open(at(), await as('ann'))));
  for (const [id, peer] of peers.entries()) peer.say({ id, input: 'x' });
  await Promise.all(peers.map((peer, id) => peer.terminal(id)));
  const auditor = { authorization: `Bearer ${await tokenOf('eve', 600, ['auditor'])}` };
  const census = async () => {
    const answer = await fetch(`${served.url}/v1/census/check`, { headers: auditor });
    return (await answer.json()) as CensusCheck;
  };
  const [life] = (await census()).items;
  expect(await served.stop()).toBe(0);
  expect((await Promise.all(peers.map(({ closed }) => closed))).map(({ code }) => code)).toEqual(peers.map(() => 1001));
  served = await serve(dir, settings());
  const { addsUp, items } = await census();
  // Of this file: 23 conversations let in and 2 refused, and 23 frames.
  const told = { state: 'stopped', issued: 48, recorded: 25, counted: 23, pending: 0, unknown: 0, addsUp: true };
  expect([addsUp, items.find(({ bootId }) => bootId === life!.bootId)]).toEqual([true, expect.objectContaining(told)]);
});
