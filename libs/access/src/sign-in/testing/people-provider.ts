import { join } from 'node:path';
import type { JWK } from 'jose';
import { freePort } from '../../../../../test/faults/free-port.js';
import { ProviderChild } from '../../identity/testing/provider-child.js';

/** A real OpenID provider with people who sign in by a form, as a process. Its client is `console`. */
export interface PeopleProvider {
  readonly issuer: string;
  start(): Promise<void>;
  kill(): Promise<void>;
}

/** Claims of each person, by the `sub` they sign in with. */
export type People = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export const CLIENT_SECRET = 'kept-between-two';

export async function peopleProvider(key: JWK, redirectUri: string, people: People): Promise<PeopleProvider> {
  const port = await freePort();
  const child = new ProviderChild();
  return {
    issuer: `http://127.0.0.1:${port}`,
    start: () =>
      child.start(join(__dirname, 'people-child.ts'), [String(port), JSON.stringify({ keys: [key] }), redirectUri, JSON.stringify(people)]),
    kill: () => child.kill(),
  };
}
