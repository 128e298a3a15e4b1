import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../faults/free-port.js';
import { signed, signingKey, type SigningKey } from '../../../libs/access/src/identity/testing/signing.js';
import {
  CLIENT_SECRET,
  peopleProvider,
  type People,
  type PeopleProvider,
} from '../../../libs/access/src/sign-in/testing/people-provider.js';
import { ToolDesk } from '../consent/tool-desk.js';
import { Browser, type Seen } from './browser.js';

/** A real provider, people known there, a tool desk with a gate for treasurers, and what processes of the deployment are set to. */
export class SignInWorld {
  readonly dir = mkdtempSync(join(tmpdir(), 'doorledger-sign-in-'));
  readonly deploymentKey = randomBytes(32).toString('hex');

  private constructor(
    readonly origin: string,
    readonly provider: PeopleProvider,
    readonly desk: ToolDesk,
    private readonly key: SigningKey,
    private readonly people: People,
  ) {}

  static async start(people: People): Promise<SignInWorld> {
    const [desk, key, port] = await Promise.all([ToolDesk.start(), signingKey('ES256', 'one'), freePort()]);
    const origin = `http://127.0.0.1:${port}`;
    const provider = await peopleProvider(key.privateJwk, `${origin}/auth/callback`, people);
    await provider.start();
    return new SignInWorld(origin, provider, desk, key, people);
  }

  get port(): string {
    return new URL(this.origin).port;
  }

  get env(): Record<string, string> {
    const server = {
      name: 'desk',
      url: this.desk.url,
      scope: 'session',
      tools: { pay: { gate: { kind: 'checkIn', deciders: 'role', roles: ['treasurer'] } } },
    };
    return {
      DOORLEDGER_DATA: join(this.dir, 'data'),
      DOORLEDGER_KEY: this.deploymentKey,
      DOORLEDGER_OIDC_ISSUER: this.provider.issuer,
      DOORLEDGER_OIDC_AUDIENCES: 'doors',
      DOORLEDGER_OIDC_ROLES_CLAIM: 'roles',
      DOORLEDGER_SIGN_IN_CLIENT_ID: 'console',
      DOORLEDGER_SIGN_IN_CLIENT_SECRET: CLIENT_SECRET,
      DOORLEDGER_SIGN_IN_PUBLIC_URL: this.origin,
      DOORLEDGER_TOOLS_SERVERS: JSON.stringify([server]),
    };
  }

  async stop(): Promise<void> {
    await Promise.all([this.provider.kill(), this.desk.stop()]);
    rmSync(this.dir, { recursive: true, force: true });
  }

  /** As far as the answer of the provider that the browser is to bring back. */
  async callbackOf(browser: Browser, person: string, to = '/'): Promise<string> {
    const isBack = (url: string) => url.startsWith(`${this.origin}/auth/callback`);
    return browser.walk(`${this.origin}/auth/sign-in?to=${encodeURIComponent(to)}`, person, isBack);
  }

  /** A browser whose user has signed in. */
  async signedIn(person: string, to = '/'): Promise<{ readonly browser: Browser; readonly back: Seen }> {
    const browser = new Browser();
    return { browser, back: await browser.ask(await this.callbackOf(browser, person, to)) };
  }

  /** What a person's own program sends: a token of the same provider, with the claims that it says of them. */
  async bearer(person: string): Promise<Record<string, string>> {
    const claims = {
      iss: this.provider.issuer,
      aud: 'doors',
      exp: Math.floor(Date.now() / 1000) + 600,
      ...this.people[person],
      sub: person,
    };
    return { authorization: `Bearer ${await signed(this.key, claims)}`, 'content-type': 'application/json' };
  }

  /** A call that waits for a treasurer, asked for by a program. */
  async paused(person: string, sessionId: string): Promise<{ readonly requestId: string; readonly turnId: string }> {
    const body = JSON.stringify({ sessionId, input: `/call desk.pay ${JSON.stringify({ note: sessionId })}` });
    const response = await fetch(`${this.origin}/invoke`, { method: 'POST', headers: await this.bearer(person), body });
    expect(response.status).toBe(202);
    return ((await response.json()) as { awaiting: { requestId: string; turnId: string } }).awaiting;
  }
}
