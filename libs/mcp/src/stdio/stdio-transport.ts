import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type JSONRPCMessage, parseJSONRPCMessage, serializeMessage, type Transport } from '@modelcontextprotocol/client';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import { ToolServerError } from '../errors.js';
import { idOfEnds } from '../requests/answer-id.js';
import type { RequestId } from '../requests/request-ledger.js';
import { LineReader } from './line-reader.js';
import { orphanGuard } from './orphan-guard.js';

/** A process that left the group may hold the pipe open for ever; what the server wrote has long been read by then. */
const DRAIN_MS = 1_000;

export interface StdioOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Of an answer to a call, and of any other message. */
  readonly maxResultBytes: number;
  readonly maxMessageBytes: number;
  /** From the closed input to the last signal (M5). */
  readonly closeMs: number;
  readonly onTooLarge: (id: RequestId) => void;
}

/**
 * A server as a child process, in a process group of its own: the whole group ends with it (M8), also when the host is
 * killed. Its standard error goes nowhere: it may hold anything, and a log line must not (M6).
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** With `pid`, how the SDK's version negotiation knows a local pipe: silence there means an old server. */
  readonly stderr = null;
  readonly #options: StdioOptions;
  #child: ChildProcess | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  async start(): Promise<void> {
    const { command, args, env, cwd, maxMessageBytes, onTooLarge } = this.#options;
    const child = spawn(command, args, {
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { ...getDefaultEnvironment(), ...env },
      ...(cwd !== undefined && { cwd }),
    });
    this.#child = child;
    const lines = new LineReader({
      max: maxMessageBytes,
      onLine: (line) => this.#read(line),
      onTooLong: (head, tail) => {
        const id = idOfEnds(head, tail);
        if (id !== undefined) onTooLarge(id);
      },
    });
    child.stdout?.on('data', (chunk: Buffer) => lines.take(chunk));
    child.stdout?.on('error', (error) => this.onerror?.(error));
    child.on('error', (error) => this.onerror?.(error));
    child.stdin?.on('error', (error) => this.onerror?.(error));
    this.#closed = new Promise((resolve) => child.once('close', () => resolve()));
    child.once('exit', () => this.#exited(child));
    child.once('close', () => this.onclose?.());
    await once(child, 'spawn');
    if (child.pid !== undefined) orphanGuard.watch(child.pid);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const input = this.#child?.stdin;
    if (!input || !input.writable) throw new ToolServerError('ERR_CONNECTION_CLOSED', 'The tool server has ended.');
    if (!input.write(serializeMessage(message))) await Promise.race([once(input, 'drain').catch(() => {}), this.#closed]);
  }

  /** Closes the input, then SIGTERM, then SIGKILL, each a third of the bound later; the group never outlives it. */
  async close(): Promise<void> {
    const child = this.#child;
    if (!child || !this.#closed) return;
    const third = Math.max(1, Math.floor(this.#options.closeMs / 3));
    child.stdin?.end();
    if (await this.#endsWithin(third)) return;
    killGroup(child, 'SIGTERM');
    if (await this.#endsWithin(third)) return;
    killGroup(child, 'SIGKILL');
    await this.#endsWithin(third);
  }

  async #endsWithin(ms: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(resolve, ms, false);
    });
    const ended = await Promise.race([this.#closed?.then(() => true) ?? true, late]);
    clearTimeout(timer);
    return ended;
  }

  /** The leader is gone: what it left behind in its group goes now. What it wrote before is still read. */
  #exited(child: ChildProcess): void {
    killGroup(child, 'SIGKILL');
    if (child.pid !== undefined) orphanGuard.forget(child.pid);
    child.stdin?.destroy();
    setTimeout(() => child.stdout?.destroy(), DRAIN_MS).unref();
  }

  #read(line: string): void {
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(JSON.parse(line));
    } catch {
      // Many servers print a banner: what is not JSON-RPC is not for us.
      return this.onerror?.(new Error('A line that is no JSON-RPC message was ignored.'));
    }
    const answersTo = 'method' in message ? undefined : message.id;
    if (answersTo !== undefined && line.length > this.#options.maxResultBytes) this.#options.onTooLarge(answersTo);
    this.onmessage?.(message);
  }
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // Nothing of it is left.
  }
}
