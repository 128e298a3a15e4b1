import type { Violation } from '../faults/history.js';
import type { Came } from './connection.js';
import { readFrames } from './frames.js';

/** What a server may not say to anybody: where its code lies, and how it got there. */
// In JSON the end of a line is `\\n`.
const INNER = /\\n\s+at |node_modules|node:internal|\.[cm]?[jt]s:\d+|file:\/\/|\/(?:home|root|usr|tmp|work|app)\//;

const STATUSES = new Set([101, 200, 201, 204, 400, 401, 403, 404, 408, 409, 413, 415, 421, 422, 429, 431, 500, 501, 503]);
/** 1011 is missing: it tells of a fault of ours. */
const CLOSE_CODES = new Set([undefined, 1000, 1001, 1002, 1003, 1005, 1007, 1008, 1009, 1013]);

const MOST_FAULTS = 50;
/** Characters of a request that are told. */
const SHOWN = 600;

/** What answers a request or a frame by itself. */
interface ErrorBody {
  readonly error?: unknown;
  readonly code?: unknown;
  readonly reference?: unknown;
}

/** Judges everything that a server says to a fuzzer, and keeps what has to be found again in its log lines. */
export class Judge {
  readonly violations: Violation[] = [];
  /** Answers by status, terminal frames by their code. */
  readonly answers: Record<string, number> = {};
  readonly references: string[] = [];
  readonly #told = new Set<string>();

  /** D6, D20, D22: what came for a request. */
  came(came: Came, asked: Buffer): void {
    if (came === 'closed') return;
    const found = (rule: string, what: string) => this.#found(rule, what, asked);
    if (typeof came === 'string') return found('D20', came === 'silent' ? 'a request got no answer' : 'what came back was no HTTP');
    const { status, headers, body } = came;
    this.#count(String(status));
    if (!STATUSES.has(status)) found('D6', `an answer had the status ${status}`);
    this.#judgeText(body);
    if (body === '' || headers['content-type'] === 'text/event-stream') return;
    // The console, which is served at the root alone, and comes with its policy.
    const isConsole = status === 200 && headers['content-security-policy'] !== undefined && /^GET \/[ ?]/.test(asked.toString('latin1'));
    if (isConsole && headers['content-type']?.startsWith('text/html')) return;
    if (!headers['content-type']?.startsWith('application/json')) return found('D6', `an answer with ${status} was no JSON`);
    const said = parsed(body);
    if (!said) return found('D6', `the body of an answer with ${status} could not be read`);
    if (status >= 400) this.#judgeError(said, status >= 500);
  }

  /** C2, C3: what a conversation brought after its 101; undefined where the server did not end it. */
  conversation(bytes: Buffer | undefined): void {
    if (!bytes) return this.#found('C2', 'a conversation did not end');
    const read = readFrames(bytes);
    if (!read) return this.#found('C2', 'what came back were no frames of a server');
    if (!CLOSE_CODES.has(read.closeCode)) this.#found('C2', `a conversation ended with ${read.closeCode}`);
    for (const text of read.texts) {
      this.#judgeText(text);
      const frame = parsed(text) as { event?: unknown; data?: ErrorBody } | undefined;
      if (typeof frame?.event !== 'string' || typeof frame.data !== 'object') this.#found('C3', 'a frame had no event or no data');
      else if (frame.event === 'error') {
        this.#count(`frame ${typeof frame.data.code === 'string' ? frame.data.code : 'error'}`);
        this.#judgeError(frame.data, false);
      } else if (frame.event !== 'progress' && frame.event !== 'chunk') this.#count(`frame ${frame.event}`);
    }
  }

  /** D22: every reference that a caller was given stands in the log lines. */
  logLines(words: string): void {
    const lost = this.references.filter((reference) => !words.includes(reference));
    if (lost.length > 0) this.#found('D22', `${lost.length} references are in no log line, ${lost[0]} for one`);
    if (/unhandled|uncaught/i.test(words)) this.#found('D20', 'the log lines tell of an error that nobody handled');
  }

  #judgeText(text: string): void {
    const [inner] = INNER.exec(text) ?? [];
    if (inner !== undefined) this.#found('D22', `an answer showed "${inner.trim()}": ${text.slice(0, 200)}`);
  }

  #judgeError({ error, code, reference }: ErrorBody, isOurs: boolean): void {
    if (typeof error !== 'string' || error === '') this.#found('D6', 'a refusal had no sentence');
    if (typeof reference === 'string') this.references.push(reference);
    if (isOurs && typeof code !== 'string' && typeof reference !== 'string')
      this.#found('D22', `a failure had neither code nor reference: ${String(error)}`);
  }

  #count(name: string): void {
    this.answers[name] = (this.answers[name] ?? 0) + 1;
  }

  /** One fault is met again and again, and told once, with the first request that met it. */
  #found(rule: string, what: string, asked?: Buffer): void {
    if (this.violations.length >= MOST_FAULTS || this.#told.has(what)) return;
    this.#told.add(what);
    this.violations.push({ rule, what: asked ? `${what}: ${JSON.stringify(asked.toString('latin1').slice(0, SHOWN))}` : what });
  }
}

function parsed(text: string): ErrorBody | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
