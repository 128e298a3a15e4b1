import { createSecretKey } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { makeGuard, makeIdentify, type Principal, type Verifier } from '@doorledger/access';
import type { SessionState } from '@doorledger/event-log';
import { References } from '@doorledger/privacy';
import { fastify } from 'fastify';
import { agentCoreDoor } from '../../agentcore/agentcore-door.js';
import { ArtifactOps } from '../../artifacts/artifact-ops.js';
import { Composer } from '../../composer.js';
import { httpDoor, type HttpDoorOptions } from '../../http/http-door.js';
import type { CountedReason, IngressEntry } from '../../ingress/ingress-recorder.js';
import { RequestDoor } from '../../request-door.js';
import type { SessionOps } from '../../sessions/session-ops.js';
import { TurnHandler, type TurnHandlerOptions } from '../../turns/turn-handler.js';
import { TurnStreams } from '../../turns/turn-streams.js';
import type { Failure } from '../../wire/terminal.js';
import { ConversationDoor, type ConversationDoorOptions } from '../conversation-door.js';

/** What the agent of a test does with a message. */
export type TestAgent = (input: string, piece: (text: string) => void, signal: AbortSignal) => Promise<string>;

export interface DoorParts extends Partial<Pick<ConversationDoorOptions, 'bounds' | 'onHangup' | 'cookie' | 'references'>> {
  readonly agent?: TestAgent;
  /** Without one the door is open (I1). */
  readonly verifier?: Verifier;
  readonly list?: SessionOps['list'];
}

export const ann: Principal = { issuer: 'https://issuer.example', subject: 'ann', roles: [] };
export const bob: Principal = { ...ann, subject: 'bob' };

const fresh: Pick<SessionState, 'owner' | 'lastRunId' | 'isClosed'> = { owner: null, lastRunId: null, isClosed: false };

/** The doors over a server of their own, with what the log and the ledger would say made up by the test. */
export async function doorInProcess({ agent = async (input) => input, verifier, list, ...given }: DoorParts = {}) {
  const references = new References({ reference: createSecretKey(Buffer.alloc(32, 7)) });
  const entries: IngressEntry[] = [];
  const counts: CountedReason[] = [];
  const faults: unknown[] = [];
  const sessions = new Map<string, typeof fresh>();
  const closing: { reason?: Failure } = {};
  let running = 0;
  const stateOf = (ref: string | undefined) => ((ref && sessions.get(ref)) || fresh) as SessionState;
  const runner: TurnHandlerOptions['runner'] = {
    run: async ({ input, session, admit, watch, signal }) => {
      await admit?.(stateOf(session?.ref));
      running++;
      try {
        watch?.step(1);
        const output = await agent(input, (text) => watch?.piece(text), signal);
        return { kind: 'complete', output, artifacts: [], position: { topic: 't', partition: 0, offset: 0 } };
      } finally {
        running--;
      }
    },
  };
  const composer = new Composer({
    references,
    identify: makeIdentify({ ...(verifier && { verifier }), allowAnonymous: false, timeoutMs: 5000 }),
    newSessions: 'named',
    view: { hold: async (ref: string) => ({ state: stateOf(ref), release: () => {} }) as never },
    ops: { list: list ?? (async () => ({ kind: 'sessions', body: { sessions: [] } })) } as SessionOps,
    artifacts: new ArtifactOps({ ledger: { artifact: async () => ({ kind: 'missing' }) }, keys: {} as never, now: Date.now }),
    turns: new TurnHandler({
      runner,
      references,
      earlier: {} as never,
      decisions: { decide: async () => Promise.reject(new Error('Nothing waits here.')) },
      persons: { named: async () => {} },
      severalIssuers: false,
    }),
  });
  const door = new RequestDoor({
    composer: () => composer,
    ingress: { file: async (entry) => void entries.push(entry), fileRefusal: (entry) => void entries.push(entry) },
    durability: { served: 'before-reply', refusals: 'buffered' },
    onUnexpected: (error) => void faults.push(error),
    now: Date.now,
  });
  const options: Omit<HttpDoorOptions, 'path'> = {
    sessionHeader: 'x-session-id',
    references: () => references,
    unavailable: () => closing.reason,
    guard: makeGuard({ bindHost: '127.0.0.1', contentType: true, trustedProxies: [] }),
    door,
    count: (reason) => void counts.push(reason),
    streams: new TurnStreams({ abandonedAfterMs: undefined, keptMs: 0 }),
    onHangup: 'abort',
    now: Date.now,
    ...given,
  };
  const conversations = new ConversationDoor({ ...options, ...given, onFault: (error) => void faults.push(error) });
  const server = fastify({ forceCloseConnections: true });
  httpDoor(server, { ...options, path: '/invoke' });
  agentCoreDoor(server, { ...options, running: () => running });
  conversations.listen(server.server);
  await server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.server.address() as AddressInfo;
  return {
    port,
    server: server.server,
    url: `127.0.0.1:${port}`,
    references,
    conversations,
    door,
    entries,
    counts,
    faults,
    /** By reference. */
    sessions,
    /** While it has a reason, nothing is served. */
    closing,
    stop: async () => {
      await conversations.close(undefined);
      await server.close();
    },
  };
}

export type DoorInProcess = Awaited<ReturnType<typeof doorInProcess>>;

/** Proves the person of each token it knows; judges every other one as bad. */
export const verifierOf = (tokens: Readonly<Record<string, { principal: Principal; expiresAt?: number }>>): Verifier => ({
  verify: async (token) => tokens[token] ?? Promise.reject(new Error('no such token')),
});
