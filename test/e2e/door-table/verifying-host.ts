import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { References, loadDeploymentKey } from '@doorledger/privacy';
import { oidcProvider } from '../../../libs/access/src/identity/testing/oidc-provider.js';
import { signed, signingKey } from '../../../libs/access/src/identity/testing/signing.js';
import { serve } from '../../faults/served-process.js';
import { canary } from './canary.js';
import type { Bearer } from './door-case.js';
import type { TestedHost } from './tested-host.js';

const AUDIENCE = 'https://doors.example';
/** Where nobody listens: its keys cannot be fetched. */
const AWAY = 'http://127.0.0.1:9';

/** A host that checks who asks at a real OpenID provider, as a process of its own. */
export interface VerifyingHost extends TestedHost {
  readonly dir: string;
  readonly tokens: Readonly<Record<Exclude<Bearer, 'nobody'>, string>>;
  /** Ends it in good order and starts it again on the same data. */
  restart(): Promise<void>;
  stop(): Promise<number | null>;
  remove(): Promise<void>;
}

export async function verifyingHost(): Promise<VerifyingHost> {
  const dir = mkdtempSync(join(tmpdir(), 'doorledger-table-'));
  const [provider, key] = await Promise.all([oidcProvider(), signingKey('ES256', canary('kid'))]);
  await provider.start([key.privateJwk]);
  const settings = {
    DOORLEDGER_OIDC_ISSUER: provider.issuer,
    DOORLEDGER_OIDC_AUDIENCES: AUDIENCE,
    DOORLEDGER_OIDC_ROLES_CLAIM: 'roles',
    DOORLEDGER_IDENTITY_ISSUERS: JSON.stringify([{ issuer: AWAY, audiences: [AUDIENCE], jwksUri: `${AWAY}/keys` }]),
    DOORLEDGER_IDENTITY_ALLOW_ANONYMOUS: 'true',
    DOORLEDGER_ADMISSION_TURNS_PER_HOUR: '1000',
    DOORLEDGER_ADMISSION_ANONYMOUS_TURNS_PER_HOUR: '0',
    DOORLEDGER_DOOR_COOKIE: 'true',
    DOORLEDGER_DOOR_AGENTCORE: 'true',
    DOORLEDGER_GUARD_TRUSTED_PROXIES: '127.0.0.1',
    DOORLEDGER_LOGGING_LEVEL: 'debug',
  };
  let served = await serve(dir, settings);
  const references = new References(loadDeploymentKey({ dir, mayCreate: false }));
  const now = Math.floor(Date.now() / 1000);
  const tokenOf = (name: string, claims: object = {}) =>
    signed(key, { iss: provider.issuer, aud: AUDIENCE, sub: canary(name), exp: now + 3600, claim: canary('claim'), ...claims });
  const good = ['ann', 'bob', 'auditor'] as const;
  const [ann, bob, auditor] = await Promise.all(good.map((name) => tokenOf(name, name === 'auditor' ? { roles: [name] } : {})));
  const bad = {
    expired: { exp: now - 600 },
    'not-yet-valid': { nbf: now + 600 },
    'wrong-audience': { aud: canary('audience') },
    'wrong-issuer': { iss: `https://${canary('issuer')}.example` },
    'of-an-issuer-away': { iss: AWAY },
  };
  const refused = Object.fromEntries(
    await Promise.all(Object.entries(bad).map(async ([name, claims]) => [name, await tokenOf(name, claims)] as const)),
  );
  return {
    dir,
    get served() {
      return served;
    },
    tokens: { ann, bob, auditor, unverifiable: `${ann}${canary('tail')}`, ...refused } as VerifyingHost['tokens'],
    userRef: (person) => references.userRef({ issuer: provider.issuer, subject: canary(person) }),
    sessionRef: (sessionId) => references.sessionRef(undefined, sessionId),
    restart: async () => {
      await served.stop();
      served = await serve(dir, settings);
    },
    stop: () => served.stop(),
    remove: async () => {
      await served.kill();
      await provider.kill();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
