import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { bearerOfSubprotocols } from '@doorledger/access';
import { WebSocketServer, type WebSocket } from 'ws';
import { fileEarly } from '../http/early-refusal.js';
import { sessionElsewhere, type HttpDoorOptions } from '../http/http-door.js';
import type { Failure } from '../wire/terminal.js';
import { Conversation, type Entered } from './conversation.js';
import { conversationBounds, type ConversationBounds, type ConversationOptions } from './conversation-options.js';
import { bearerOfHandshake, handshakeProblem, refuseUpgrade, sessionOfQuery, sessionRefused } from './handshake.js';
import { asOrdinary } from './ordinary-request.js';

export interface ConversationDoorOptions
  extends Omit<ConversationOptions, 'bounds'>, Pick<HttpDoorOptions, 'sessionHeader' | 'cookie' | 'references' | 'guard'> {
  readonly bounds?: Partial<ConversationBounds>;
}

type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

const PATH = '/conversation';
const LAST_WORDS_MS = 1000;

/**
 * The conversation door (C1 to C5). Nothing is read from a socket before its caller is known: what a peer sends too early waits in the
 * kernel, so no peer can fill this process before it is somebody's conversation.
 */
export class ConversationDoor {
  readonly #options: ConversationDoorOptions & ConversationOptions;
  readonly #sockets: WebSocketServer;
  readonly #judged = new Set<Duplex>();
  readonly #live = new Set<Conversation>();
  #clock?: NodeJS.Timeout;
  #onEmpty = (): void => {};

  constructor(options: ConversationDoorOptions) {
    const bounds = { ...conversationBounds, ...options.bounds };
    this.#options = { ...options, bounds };
    // Not as a literal: the types of ws do not know `closeTimeout`.
    const settings = {
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: bounds.maxFrameBytes,
      closeTimeout: bounds.closeWithinMs,
      handleProtocols: (_offered: Set<string>, { headers }: IncomingMessage) =>
        bearerOfSubprotocols(headers['sec-websocket-protocol']).selected ?? false,
    };
    this.#sockets = new WebSocketServer(settings);
  }

  /**
   * Takes the upgrades of a server (D3); those of other paths go to whom `others` names. What asks to become anything else stays an
   * ordinary request.
   */
  listen(server: Server, others: Readonly<Record<string, Upgrade>> = {}): void {
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      const path = request.url?.split('?')[0] ?? '';
      if (request.method === 'GET' && Object.hasOwn(others, path)) return others[path]!(request, socket, head);
      if (request.method !== 'GET' || path !== PATH) return asOrdinary(server, request, socket, head);
      this.#judged.add(socket);
      socket.once('close', () => this.#judgedNoMore(socket)).on('error', () => socket.destroy());
      this.#begin(request, socket, head).catch((fault: unknown) => {
        this.#options.onFault(fault);
        socket.destroy();
      });
    });
  }

  /** C4: a person whose credentials were revoked. */
  revoked(userRef: string): void {
    for (const conversation of this.#live) if (conversation.userRef === userRef) conversation.end(1008, 'Your credential was revoked.');
  }

  /** C2, R2: each conversation ends as soon as nothing of it is at work, at the latest when what runs is `drained`. */
  async close(drained: Promise<void> | undefined): Promise<void> {
    for (const conversation of this.#live) conversation.leave();
    await drained;
    const isEmpty = new Promise<void>((resolve) => (this.#onEmpty = resolve));
    if (this.#live.size + this.#judged.size > 0) await Promise.race([isEmpty, sleep(LAST_WORDS_MS, undefined, { ref: false })]);
    for (const conversation of this.#live) conversation.terminate();
    for (const socket of this.#judged) socket.destroy();
  }

  /** C1, in the order of D5. */
  async #begin(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { now, door, unavailable, count } = this.#options;
    const bearer = bearerOfHandshake(request.headers);
    const bearerPresent = bearer !== undefined;
    const startedAt = now();
    const refuse = (refused: Failure) =>
      refuseUpgrade(socket, fileEarly(refused, { door: 'conversation', bearerPresent, startedAt }, this.#options));
    const refused = this.#refused(request);
    if (refused) return refuse(refused);
    const sessionId = sessionElsewhere(request.headers, this.#options) ?? sessionOfQuery(request);
    const unnamed = sessionRefused(sessionId);
    if (unnamed) return refuse(unnamed);
    const gone = new AbortController();
    socket.once('close', () => gone.abort());
    const presented = bearer === undefined ? {} : { bearer };
    const entered = await door.enter({ presented, sessionId }, bearerPresent, gone.signal);
    if ('refused' in entered) return refuseUpgrade(socket, entered.refused);
    const late = unavailable();
    if (late) return refuse(late);
    let isHere = false;
    this.#sockets.handleUpgrade(request, socket, head, (peer) => {
      isHere = true;
      this.#accept(peer, { caller: entered.caller, presented, sessionId });
    });
    this.#judgedNoMore(socket);
    count(isHere ? 'accepted-upgrade' : 'unreadable-request');
  }

  #refused({ method = '', headers, rawHeaders, socket }: IncomingMessage): Failure | undefined {
    const { unavailable, guard } = this.#options;
    const foreign = unavailable() ?? guard({ method, headers, rawHeaders, isUpgrade: true, isProbe: false, from: socket.remoteAddress });
    return foreign ? { kind: 'fail', ...foreign } : handshakeProblem(headers);
  }

  #accept(peer: WebSocket, entered: Entered): void {
    const conversation = new Conversation(peer, entered, this.#options);
    this.#live.add(conversation);
    peer.once('close', () => this.#left(conversation));
    this.#clock ??= setInterval(() => {
      for (const each of this.#live) each.beat();
    }, this.#options.bounds.pingEveryMs).unref();
  }

  #left(conversation: Conversation): void {
    this.#live.delete(conversation);
    if (this.#live.size > 0) return;
    clearInterval(this.#clock);
    this.#clock = undefined;
    if (this.#judged.size === 0) this.#onEmpty();
  }

  #judgedNoMore(socket: Duplex): void {
    this.#judged.delete(socket);
    if (this.#judged.size + this.#live.size === 0) this.#onEmpty();
  }
}
