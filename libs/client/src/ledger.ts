import type { Connection, Request } from './connection.js';
import type {
  CensusItem,
  ConsentItem,
  IngressItem,
  LifeCheck,
  SessionItem,
  TimelineItem,
  ToolCallItem,
  ToolSessionItem,
} from './ledger-items.js';

/** Narrows a list. `at`: a position to wait for, as a turn's end names it. */
export type Filter<Names extends string = never> = Readonly<Partial<Record<Names | 'at', string>>>;

interface Page<T> {
  readonly items: readonly T[];
  readonly cursor?: string;
}

const PAGE = 100;
const ANSWERS_WITHIN_MS = 30_000;

/** The ledger's lists, item by item over all pages, and its counts (P2). Each throws RequestError. */
export class Ledger {
  constructor(private readonly connection: Connection) {}

  sessions(filter: Filter = {}): AsyncGenerator<SessionItem, void> {
    return this.#pages('/v1/sessions', filter);
  }

  /** `session`: its id, or its reference. */
  timeline(session: string, filter: Filter = {}): AsyncGenerator<TimelineItem, void> {
    return this.#pages(`/v1/sessions/${encodeURIComponent(session)}/timeline`, filter);
  }

  consents(filter: Filter<'state' | 'server' | 'tool' | 'session' | 'turn'> = {}): AsyncGenerator<ConsentItem, void> {
    return this.#pages('/v1/consents', filter);
  }

  toolSessions(filter: Filter<'state' | 'server' | 'session' | 'reason'> = {}): AsyncGenerator<ToolSessionItem, void> {
    return this.#pages('/v1/tool-sessions', filter);
  }

  toolCalls(filter: Filter<'state' | 'server' | 'tool' | 'session' | 'turn'> = {}): AsyncGenerator<ToolCallItem, void> {
    return this.#pages('/v1/tool-calls', filter);
  }

  ingress(filter: Filter = {}): AsyncGenerator<IngressItem, void> {
    return this.#pages('/v1/ingress', filter);
  }

  /** Whether the places of each host's life add up (E12). */
  lives(): AsyncGenerator<LifeCheck, void> {
    return this.#pages('/v1/census/check', {});
  }

  async census(filter: Filter<'by' | 'from' | 'to' | 'window'> = {}): Promise<readonly CensusItem[]> {
    return (await this.#get<{ items: readonly CensusItem[] }>('/v1/census', filter)).items;
  }

  async *#pages<T>(path: string, filter: Filter<string>): AsyncGenerator<T, void> {
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      const page: Page<T> = await this.#get(path, { ...filter, limit: PAGE, ...(cursor !== undefined && { cursor }) });
      yield* page.items;
      cursor = page.cursor;
    }
  }

  #get<T>(path: string, query: NonNullable<Request['query']>): Promise<T> {
    return this.connection.json<T>({ path, query, repeating: 'repeatable', timeoutMs: ANSWERS_WITHIN_MS });
  }
}
