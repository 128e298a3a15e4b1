import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ToolRuleConfig } from '@doorledger/config';
import { keyServer, type KeyServer } from '../../../libs/access/src/identity/testing/key-server.js';
import { signed, signingKey, type SigningKey } from '../../../libs/access/src/identity/testing/signing.js';
import { serve, type Served } from '../../faults/served-process.js';
import { onLedger, type LedgerRows } from './ledger-rows.js';
import { ToolDesk } from './tool-desk.js';

const ISSUER = 'https://issuer.example';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What a paused turn asks for, as its asker hears it. */
export interface Waiting {
  readonly requestId: string;
  readonly turnId: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** How a tool's gate asks. */
export type Terms = Pick<ToolRuleConfig, 'observe' | 'decideByMs' | 'spendByMs' | 'deciders' | 'roles' | 'separation' | 'quorum'>;

export interface WorldOptions {
  /** A name for the tool server under each way of asking; without terms its `pay` has no gate. */
  readonly gates: Readonly<Record<string, Terms | undefined>>;
  /** Servers of other kinds. */
  readonly servers?: readonly object[];
  readonly rules?: readonly ToolRuleConfig[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A real host, one tool server that it knows by several names, and people with tokens. */
export class ConsentWorld {
  readonly dir = mkdtempSync(join(tmpdir(), 'doorledger-consent-'));
  served!: Served;
  rules: readonly ToolRuleConfig[];

  private constructor(
    readonly desk: ToolDesk,
    private readonly options: WorldOptions,
    private readonly keys: KeyServer,
    private readonly key: SigningKey,
  ) {
    this.rules = options.rules ?? [];
  }

  static async start(options: WorldOptions): Promise<ConsentWorld> {
    const [desk, keys, key] = await Promise.all([ToolDesk.start(), keyServer(), signingKey('ES256', 'one')]);
    keys.answer = { keys: [key.publicJwk] };
    const world = new ConsentWorld(desk, options, keys, key);
    await world.up();
    return world;
  }

  get data(): string {
    return join(this.dir, 'data');
  }

  /** What a host is set to, on whatever log. */
  get env(): Record<string, string> {
    const servers = Object.entries(this.options.gates).map(([name, gate]) => ({
      name,
      url: this.desk.url,
      scope: 'session',
      ...(gate && { tools: { pay: { gate: { kind: 'checkIn', ...gate } } } }),
    }));
    return {
      DOORLEDGER_OIDC_ISSUER: ISSUER,
      DOORLEDGER_OIDC_AUDIENCES: 'doors',
      DOORLEDGER_OIDC_JWKS_URI: this.keys.url,
      DOORLEDGER_OIDC_ROLES_CLAIM: 'roles',
      DOORLEDGER_TOOLS_SERVERS: JSON.stringify([...servers, ...(this.options.servers ?? [])]),
      DOORLEDGER_TOOLS_RULES: JSON.stringify(this.rules),
      ...this.options.env,
    };
  }

  async up(): Promise<void> {
    this.served = await serve(this.data, this.env);
  }

  /** The host dies while the tool that `asks` for has not answered, and comes up again. */
  async losing(asks: () => Promise<unknown>): Promise<void> {
    this.desk.hold('tools/call');
    const asking = asks().catch(() => undefined);
    await this.desk.holding('tools/call');
    await this.served.kill();
    await asking;
    this.desk.release();
    await this.up();
  }

  async stop(): Promise<void> {
    this.desk.release();
    await this.served.stop();
    await Promise.all([this.desk.stop(), this.keys.close()]);
    rmSync(this.dir, { recursive: true, force: true });
  }

  async headersOf(person: string): Promise<Record<string, string>> {
    const [who = '', ...roles] = person.split(' as ');
    const [sub, org] = who.split(' at ');
    const token = await signed(this.key, {
      iss: ISSUER,
      aud: 'doors',
      sub,
      roles,
      ...(org && { org }),
      exp: Math.floor(Date.now() / 1000) + 600,
    });
    return { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  }

  /** `person`: a name, `name as role`, or `name at tenant as role`. */
  async post(person: string, path: string, body: unknown, more: { readonly signal?: AbortSignal; headers?: object } = {}): Promise<Answer> {
    const { signal } = more;
    const headers = { ...(await this.headersOf(person)), ...more.headers };
    return read(
      await fetch(`${this.served.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body), ...(signal && { signal }) }),
    );
  }

  async get(person: string, path: string): Promise<Answer> {
    return read(await fetch(`${this.served.url}${path}`, { headers: await this.headersOf(person) }));
  }

  say(person: string, sessionId: string, input: string): Promise<Answer> {
    return this.post(person, '/invoke', { sessionId, input });
  }

  /** A call that has to pause: what it waits for. `note` is what the tool server counts its orders by. */
  async paused(person: string, sessionId: string, server: string, args: object): Promise<Waiting> {
    const { status, body } = await this.say(person, sessionId, call(server, args));
    expect([status, Object.keys(body)]).toEqual([202, ['awaiting']]);
    return body.awaiting as Waiting;
  }

  /** The party's own decision at the door. */
  decide(person: string, sessionId: string, decision: unknown, more: { readonly signal?: AbortSignal } = {}): Promise<Answer> {
    return this.post(person, '/invoke', { sessionId, decision }, more);
  }

  /** An approver's decision at the API. */
  vote(person: string, requestId: string, approved: boolean): Promise<Answer> {
    return this.post(person, `/v1/consents/${requestId}/decision`, { approved });
  }

  /** How a turn ended, as the one who asked hears it. */
  async ended(person: string, turnId: string): Promise<Answer['body']> {
    for (;;) {
      const { body } = await this.get(person, `/v1/turns/${turnId}`);
      if (body.status === 'completed' || body.status === 'failed') return body;
      await sleep(20);
    }
  }

  pending(person: string, sessionId: string): Promise<Answer> {
    return this.post(person, '/invoke', { sessionId, op: 'session-pending' });
  }

  /** The rows of a request once they are as they should be. */
  async rows(requestId: string, are: (rows: LedgerRows) => boolean): Promise<LedgerRows> {
    for (const end = Date.now() + 20_000; ; await sleep(20)) {
      const rows = onLedger(this.data, requestId);
      if (are(rows) || Date.now() > end) return rows;
    }
  }

  /** The request’s row once it says `status`; its call’s row. */
  settled(requestId: string, status: string): Promise<LedgerRows> {
    return this.rows(requestId, ({ consent }) => consent?.status === status);
  }
}

export const call = (server: string, args: object): string => `/call ${server}.pay ${JSON.stringify(args)}`;

async function read(response: Response): Promise<Answer> {
  return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] };
}
