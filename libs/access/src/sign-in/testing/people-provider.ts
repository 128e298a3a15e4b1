import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { JWK } from 'jose';
import { freePort } from '../../identity/testing/oidc-provider.js';

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
  let child: ChildProcess | undefined;
  return {
    issuer: `http://127.0.0.1:${port}`,
    start: async () => {
      const args = [String(port), JSON.stringify({ keys: [key] }), redirectUri, JSON.stringify(people)];
      child = spawn(process.execPath, [join(__dirname, 'people-child.ts'), ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
      const ended = once(child, 'exit').then(() => Promise.reject(new Error('The provider ended by itself.')));
      await Promise.race([once(child.stdout!, 'data'), ended]);
      ended.catch(() => undefined);
    },
    kill: async () => {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}
