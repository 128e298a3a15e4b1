import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { topics } from '@doorledger/contracts';
import { LedgerError } from '@doorledger/ledger';
import type { Logger, Metrics } from '@doorledger/observability';
import type { Viewer } from '../api/viewer.js';
import { Projection } from '../projection.js';
import { FactFeed, type FeedFrame } from './fact-feed.js';
import { StreamReader } from './stream-reader.js';
import { startOf } from './stream-query.js';

/** Each may hold a quarter MiB and an answer of the log. */
const MOST_READERS = 64;
/** A timer cannot wait for longer; a stream that outlives it has been resumed many times. */
const LONGEST_MS = 2_147_483_647;

const HEAD = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' } as const;

export interface StreamAsk {
  readonly viewer: Viewer;
  readonly from?: string;
  readonly lastId?: string;
  readonly wants: (type: string | undefined) => boolean;
}

/** What streams are told of: injection token of the process's own. */
export const STREAM_WATCH = Symbol('stream watch');
export interface StreamWatch {
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** The streams of public facts that are open (P2), all on one reading of the log's end. */
@Injectable()
export class FactStreams implements OnModuleInit {
  readonly #readers = new Set<StreamReader>();
  readonly #dropped: ReturnType<Metrics['counter']>;
  #feed?: FactFeed;

  constructor(
    private readonly projection: Projection,
    private readonly adapter: HttpAdapterHost,
    @Inject(STREAM_WATCH) private readonly watch: StreamWatch,
  ) {
    this.#dropped = watch.metrics.counter('doorledger_stream_dropped_total');
  }

  onModuleInit(): void {
    // A stream has no end of its own that closing could wait for (R2).
    this.adapter.httpAdapter.getInstance<FastifyInstance>().addHook('preClose', (done) => {
      for (const reader of this.#readers) reader.end();
      done();
    });
    this.watch.metrics.gauge('doorledger_stream_readers', () => [{ value: this.#readers.size }]);
  }

  /** @throws LedgerError `ERR_STREAM_FULL`, `ERR_INVALID_QUERY`; LedgerError `ERR_LEDGER_BEHIND` while there is no log */
  async open(reply: FastifyReply, { viewer, from, lastId, wants }: StreamAsk): Promise<void> {
    const { log } = this.projection;
    if (this.#readers.size >= MOST_READERS)
      throw new LedgerError('ERR_STREAM_FULL', `${MOST_READERS} streams are open here. Close one, or ask another projector.`);
    const feed = (this.#feed ??= new FactFeed(log, [...this.#topics().keys()], (err) =>
      this.watch.logger.error({ err }, 'The stream of facts cannot read the log on.'),
    ));
    const place = await startOf(log, this.#topics(), { from, lastId });
    reply.hijack();
    const { raw: response } = reply;
    response.writeHead(200, HEAD);
    const reader = new StreamReader({ log, feed, response, from: place, wants, isLast: (frame) => revokes(frame, viewer) });
    this.#readers.add(reader);
    const expiry = viewer.expiresAt === undefined ? undefined : setTimeout(() => reader.end(), within(viewer.expiresAt - Date.now()));
    response.once('close', () => {
      clearTimeout(expiry);
      this.#readers.delete(reader);
      if (reader.wasDropped) this.#dropped.add();
    });
    reader.run().catch((err: unknown) => {
      this.watch.logger.warn({ err }, 'A stream of facts was ended: the log could not be read.');
      response.destroy();
    });
  }

  /** Partition count of each public topic that is on the log. */
  #topics(): ReadonlyMap<string, number> {
    const { log } = this.projection;
    const isShown = Object.values(topics).filter(
      ({ name, visible, holds }) => visible === 'public' && holds === 'truth' && log.topics.has(name),
    );
    return new Map(isShown.map(({ name }) => [name, log.topics.get(name)!]));
  }
}

const within = (ms: number): number => Math.min(Math.max(ms, 0), LONGEST_MS);

/** Whose sign-in is revoked reads no more (T21). */
const revokes = ({ record: { decoded } }: FeedFrame, { userRef }: Viewer): boolean =>
  userRef !== undefined && decoded.type === 'identity.revoked' && decoded.body?.data.userRef === userRef;
