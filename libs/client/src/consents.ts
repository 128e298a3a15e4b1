import type { Connection } from './connection.js';
import type { PendingAsk } from './turn-end.js';

/** An approver's word. `changes`: other arguments, which close the request and ask anew under another id (N55). */
export interface Verdict {
  readonly approved: boolean;
  readonly note?: string;
  readonly value?: unknown;
  readonly changes?: Readonly<Record<string, unknown>>;
}

/** What stands now, or how many have voted of those it needs. */
export type Decided =
  | { readonly requestId: string; readonly verdict: string; readonly turnId: string }
  | { readonly requestId: string; readonly votes: { readonly have: number; readonly need: number } };

/** A request that is closed. `proven`: the call never ran and never can; where that is no proof, `why` says so, and `sentence` to a person (N33). */
export interface ClosedRequest {
  readonly requestId: string;
  readonly verdict: 'closed';
  readonly proven: boolean;
  readonly why?: string;
  readonly sentence?: string;
}

/** The exact call, as it is shown to whoever decides, with the digest of all of it (N51). */
export type ShownCall = PendingAsk & {
  readonly text: string;
  readonly digest: string;
  /** Who asks, by what their issuer calls them; absent where nobody is checked, and once they were erased. */
  readonly asker?: { readonly issuer: string; readonly subject: string; readonly tenant?: string; readonly name?: string };
};

/** What is to be remembered (N52): a call that waits, or any of a tool that fits a pattern. `until`: epoch ms or RFC 3339. */
export type NewGrant = { readonly until?: number | string; readonly count?: number } & (
  | { readonly requestId: string; readonly pattern?: object }
  | { readonly server: string; readonly tool: string; readonly pattern: object; readonly user?: string }
);

export interface Grant {
  readonly grantId: string;
  readonly userRef: string;
  readonly server: string;
  readonly tool: string;
  readonly toolHash: string;
  readonly schemaHash: string;
  readonly until?: string;
  readonly count?: number;
  readonly usesLeft: number;
  readonly by: string;
  readonly createdAt: string;
  readonly pattern?: object;
}

const ANSWERS_WITHIN_MS = 30_000;

/** Decisions of approvers and remembered grants, at any host (docs/consent.md). Each method throws RequestError. */
export class Consents {
  constructor(private readonly connection: Connection) {}

  /** The same decision by the same person again hears what the first one did. */
  decide(requestId: string, verdict: Verdict): Promise<Decided> {
    return this.#post(`/v1/consents/${requestId}/decision`, verdict, verdict.changes === undefined);
  }

  /** Resolves when the close stands. */
  close(requestId: string): Promise<ClosedRequest> {
    return this.#post(`/v1/consents/${requestId}/close`, {}, true);
  }

  call(requestId: string): Promise<ShownCall> {
    return this.#get(`/v1/consents/${requestId}/call`);
  }

  grant(
    grant: NewGrant,
  ): Promise<Pick<Grant, 'grantId' | 'server' | 'tool' | 'schemaHash' | 'until' | 'count'> & { readonly looseness?: object }> {
    return this.#post('/v1/grants', grant, false);
  }

  async grants(): Promise<readonly Grant[]> {
    return (await this.#get<{ items: Grant[] }>('/v1/grants')).items;
  }

  async revoke(grantId: string): Promise<void> {
    await this.connection.send({ method: 'DELETE', path: `/v1/grants/${grantId}`, repeating: 'repeatable', timeoutMs: ANSWERS_WITHIN_MS });
  }

  #get<T>(path: string): Promise<T> {
    return this.connection.json<T>({ path, repeating: 'repeatable', timeoutMs: ANSWERS_WITHIN_MS });
  }

  #post<T>(path: string, body: object, isRepeatable: boolean): Promise<T> {
    const repeating = isRepeatable ? 'repeatable' : 'once';
    return this.connection.json<T>({ method: 'POST', path, body, repeating, timeoutMs: ANSWERS_WITHIN_MS });
  }
}
