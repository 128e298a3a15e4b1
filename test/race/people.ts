import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { References, loadDeploymentKey } from '@doorledger/privacy';
import { signed, signingKey } from '../../libs/access/src/identity/testing/signing.js';

const AUDIENCE = 'doors';
const VALID_S = 6 * 3600;

/** Somebody who may ask or decide. */
export interface Person {
  readonly name: string;
  /** As facts name them. */
  readonly userRef: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Everybody of a race, and the issuer who vouches for them. */
export interface People {
  /** Settings of a host that takes their tokens. */
  readonly settings: Readonly<Record<string, string>>;
  readonly parties: readonly Person[];
  readonly approvers: readonly Person[];
  /** May see everybody's facts. */
  readonly auditor: Person;
  close(): Promise<void>;
}

export interface PeopleOptions {
  /** The deployment's, 64 hex digits. */
  readonly key: string;
  readonly parties: number;
  readonly approvers: number;
}

export async function startPeople({ key, parties, approvers }: PeopleOptions): Promise<People> {
  const signing = await signingKey('ES256', 'first');
  const keys = JSON.stringify({ keys: [signing.publicJwk] });
  const server = createServer((_request, response) => response.setHeader('content-type', 'application/json').end(keys));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const references = new References(loadDeploymentKey({ configured: key, dir: '', mayCreate: false }));
  const person = async (name: string, roles: readonly string[]): Promise<Person> => {
    const exp = Math.floor(Date.now() / 1000) + VALID_S;
    const token = await signed(signing, { iss: issuer, aud: AUDIENCE, sub: name, exp, roles });
    return { name, userRef: references.userRef({ issuer, subject: name }), headers: { authorization: `Bearer ${token}` } };
  };
  const many = (count: number, kind: string, roles: readonly string[]) =>
    Promise.all(Array.from({ length: count }, (_, i) => person(`${kind}-${i}`, roles)));
  return {
    settings: {
      DOORLEDGER_KEY: key,
      DOORLEDGER_OIDC_ISSUER: issuer,
      DOORLEDGER_OIDC_AUDIENCES: AUDIENCE,
      DOORLEDGER_OIDC_JWKS_URI: `${issuer}/keys`,
      DOORLEDGER_OIDC_ROLES_CLAIM: 'roles',
    },
    parties: await many(parties, 'party', []),
    auditor: await person('auditor', ['auditor']),
    approvers: await many(approvers, 'approver', ['approver']),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
