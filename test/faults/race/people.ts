import { References, loadDeploymentKey } from '@doorledger/privacy';
import { startIssuer } from '../flood-issuer.js';

/** Somebody who may ask or decide. */
export interface Person {
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

const VALID_S = 6 * 3600;

export async function startPeople({ key, parties, approvers }: PeopleOptions): Promise<People> {
  const { settings, token, close } = await startIssuer();
  const issuer = settings.DOORLEDGER_OIDC_ISSUER!;
  const references = new References(loadDeploymentKey({ configured: key, dir: '', mayCreate: false }));
  const person = async (subject: string, roles: readonly string[]): Promise<Person> => ({
    userRef: references.userRef({ issuer, subject }),
    headers: { authorization: `Bearer ${await token(subject, VALID_S, roles)}` },
  });
  const many = (count: number, name: string, roles: readonly string[]) =>
    Promise.all(Array.from({ length: count }, (_, i) => person(`${name}-${i}`, roles)));
  return {
    settings: { ...settings, DOORLEDGER_KEY: key, DOORLEDGER_OIDC_ROLES_CLAIM: 'roles' },
    parties: await many(parties, 'party', []),
    approvers: await many(approvers, 'approver', ['approver']),
    auditor: await person('auditor', ['auditor']),
    close,
  };
}
