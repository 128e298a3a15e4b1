import type { CallEnd, CallProgress, SendOptions } from './call-end.js';
import { endOfFailure, type CallStop } from './call-failure.js';
import type { Connection } from './connection.js';
import { CallReplay } from './requests/call-replay.js';
import { MARKER } from './requests/watch.js';
import { readResult } from './tools/tool-result.js';

const NEVER_MS = 2_147_483_647;
/** Has the client ask for progress; the watch hears it. */
const unheard = () => {};

export interface CallAsk extends SendOptions {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/**
 * One call on one connection, to its end; never rejects and never outlasts its bounds (M5). Progress begins the idle bound
 * anew, never the total (M8). It is sent at most once, retries after 429 apart.
 */
export async function callTool(connection: Connection, ask: CallAsk): Promise<CallEnd> {
  const { settings, pins, ledger, guard, client } = connection;
  const begun = performance.now();
  const replay = new CallReplay();
  const aborting = new AbortController();
  let stopped: CallStop | undefined;
  const stop = (why: CallStop) => {
    if (stopped) return;
    stopped = why;
    aborting.abort();
  };
  const failed = (error: unknown): CallEnd =>
    endOfFailure({ error, stopped, replay, strict: settings.strict, name: `${settings.name}.${ask.tool}`, durationMs: since(begun) });
  if (connection.isOver)
    return { outcome: 'not-sent', errorClass: 'ERR_CONNECTION_CLOSED', mayDispatchAgain: true, durationMs: since(begun) };
  if (ask.signal.aborted) return { outcome: 'not-sent', errorClass: 'Cancelled', mayDispatchAgain: false, durationMs: since(begun) };

  const { timeoutMs } = (Object.hasOwn(settings.tools, ask.tool) && settings.tools[ask.tool]) || {};
  const total = setTimeout(stop, timeoutMs ?? settings.callMs, 'timeout');
  const idle = setTimeout(stop, settings.idleMs, 'timeout');
  const onAbort = () => stop('cancelled');
  ask.signal.addEventListener('abort', onAbort, { once: true });
  const onProgress = (progress: CallProgress) => {
    idle.refresh();
    ask.onProgress?.(progress);
  };
  const ticket = ledger.issue({ replay, onTry: ask.onTry, maySend: ask.maySend, once: ask.once, onProgress, onLoss: stop });
  try {
    const result = await guard.during('call', async () => {
      const definition = pins.get(ask.tool)?.definition;
      return client.callTool(
        { name: ask.tool, arguments: ask.args, _meta: { ...metaOf(ask), [MARKER]: ticket.marker } },
        // With a definition of ours the client never sends a call a second time of its own accord.
        { signal: aborting.signal, timeout: NEVER_MS, onprogress: unheard, ...(definition && { toolDefinition: definition }) },
      );
    });
    // The client takes an answer to "1" for one to 1; the ledger does not (M11).
    if (!replay.answered) return { outcome: 'unknown', errorClass: 'ERR_ANSWER_MISMATCHED', durationMs: since(begun) };
    const read = readResult(result);
    if (result.isError !== true) return { outcome: 'ok', ...read, durationMs: since(begun) };
    const text = `The tool ${settings.name}.${ask.tool} answered with an error: ${read.text}`;
    return { outcome: 'error', ...read, text, errorClass: 'ToolError', durationMs: since(begun) };
  } catch (error) {
    return failed(error);
  } finally {
    clearTimeout(total);
    clearTimeout(idle);
    ask.signal.removeEventListener('abort', onAbort);
    ledger.settle(ticket);
  }
}

const since = (begun: number): number => Math.round(performance.now() - begun);

function metaOf({ fence, traceparent }: SendOptions): Record<string, unknown> {
  return { ...(traceparent !== undefined && { traceparent }), ...(fence && { 'io.doorledger/fence': fence }) };
}
