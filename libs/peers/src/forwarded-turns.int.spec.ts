import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { Agent } from '@doorledger/agent';
import { inTrace, topics } from '@doorledger/contracts';
import { TurnError, type TurnWatch } from '@doorledger/turns';
import { WebSocket } from 'ws';
import { askOf } from '../../turns/src/testing/turn-host.js';
import { HOP_HEADER, writePass } from './hop-pass.js';
import { readElsewhere } from './read-stream.js';
import { holder, hopPair, type HopPair } from './testing/hop-pair.js';

const words = new EventEmitter();
/** Says where it runs. At `/hold` it waits until it is let go; at `/throw` it fails. */
const agentOf = (host: string): Agent => ({
  async *step(messages, _tools, signal) {
    const last = messages.at(-1)!;
    const text = last.role === 'tool' ? '' : last.text;
    yield `${host}: `;
    words.emit('began', host);
    if (text === '/hold')
      await once(words, 'go', { signal }).catch((error: unknown) => {
        words.emit('aborted', host);
        throw error;
      });
    if (text === '/throw') throw new RangeError('canary of a provider');
    yield text;
    return { text: `${host}: ${text}` };
  },
});

let pair: HopPair;
beforeEach(async () => (pair = await hopPair(agentOf, { abandonedAfterMs: 50 })));
afterEach(() => pair.close());

const heard = (): TurnWatch & { readonly all: string[] } => {
  const all: string[] = [];
  return { all, step: (n) => all.push(`step ${n}`), piece: (text) => all.push(text), tool: () => all.push('tool') };
};
const claims = async () => (await pair.hosts.typesOf(topics.session.name)).filter((type) => type === 'turn.claimed').length;
const failed = (run: Promise<unknown>) => run.then(() => undefined, (error: unknown) => error as Error & { code?: string }); // prettier-ignore

describe('a turn whose session is held elsewhere', () => {
  it('L6 runs there, one claim, and its caller hears all of it as it comes', async () => {
    const watch = heard();
    const answer = await pair.turns.run({ ...askOf('hello', 's1'), watch });
    expect(answer).toMatchObject({ kind: 'complete', output: 'holder: hello', position: { topic: topics.session.name } });
    expect(watch.all).toEqual(['step 1', 'holder: ', 'hello']);
    expect(await claims()).toBe(1);
  });

  it('L6 is judged once, at the edge, and not again where it runs', async () => {
    let judged = 0;
    const ask = { ...askOf('hello', 's1'), admit: async () => ({ mayWait: judged++ > 100 }) };
    await pair.turns.run(ask);
    expect(judged).toBe(1);
    const refusal = new Error('no');
    const refused = failed(pair.turns.run({ ...askOf('hello', 's1'), admit: () => Promise.reject(refusal) }));
    expect([await refused, await claims()]).toEqual([refusal, 1]);
  });

  it('P3 is met by the edge’s own tail before its caller hears, so that what the caller asks next is no step behind', async () => {
    for (let turn = 0; turn < 5; turn++) {
      await pair.turns.run(askOf('hello', 's1'));
      const held = await pair.edge.view.hold(askOf('', 's1').session!.ref);
      expect(held.state.run).toBeUndefined();
      held.release();
      expect(await pair.edge.runner.run(askOf('here', 's1'))).toMatchObject({ output: 'edge: here' });
    }
    expect(await claims()).toBe(10);
  });

  it('P8 keeps the trace of its request over the hop', async () => {
    const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
    await inTrace(traceparent, () => pair.turns.run(askOf('hello', 's1')));
    const traces = (await pair.hosts.recordsOf(topics.session.name)).map(({ headers }) => headers.ce_traceparent);
    expect(new Set(traces)).toEqual(new Set([traceparent]));
  });

  it('L6 never leaves the edge where it has no session', async () => {
    expect(await pair.turns.run(askOf('hello'))).toMatchObject({ output: 'edge: hello' });
  });

  it('D22 fails with what it failed with there: our own words, and of any other error its class alone', async () => {
    const held = pair.there.runner.run(askOf('/hold', 's1'));
    await once(words, 'began');
    const busy = await failed(pair.turns.run(askOf('hello', 's1')));
    expect([busy instanceof TurnError, busy?.code]).toEqual([true, 'ERR_CONCURRENT_RUN']);
    words.emit('go');
    await held;
    const thrown = await failed(pair.turns.run(askOf('/throw', 's1')));
    expect([thrown?.name, thrown?.message.includes('canary')]).toEqual(['RangeError', false]);
    expect(pair.reported).toHaveLength(1);
  });
});

describe('a holder that does not let the edge in', () => {
  const runsHere = async (turns = pair.turns) => {
    let judged = 0;
    const ask = { ...askOf('hello', 's1'), admit: async () => ({ mayWait: judged++ > 100 }) };
    expect(await turns.run(ask)).toMatchObject({ output: 'edge: hello' });
    expect(judged).toBe(1);
  };

  it('L6 because it is gone: the turn runs here, judged once', async () => {
    await runsHere(pair.turnsAt('http://127.0.0.1:9'));
  });

  it('L6 because it stands still: the turn runs here within seconds', async () => {
    const still = createServer();
    await once(still.listen(0, '127.0.0.1'), 'listening');
    const startedAt = performance.now();
    await runsHere(pair.turnsAt(`http://127.0.0.1:${(still.address() as AddressInfo).port}`));
    expect(performance.now() - startedAt).toBeLessThan(5000);
    still.close();
  });

  it('L6 because it closes, or lives another life', async () => {
    await runsHere(pair.turnsAt(pair.url, { ...holder, bootId: randomUUID() }));
    pair.state.isServing = false;
    await runsHere();
  });
});

describe('a holder that is lost after it let the edge in', () => {
  it('L6 ends the request with 503 and the turn’s id, and nothing runs here', async () => {
    const ask = askOf('/hold', 's1');
    const lost = failed(pair.turns.run(ask));
    await once(words, 'began');
    pair.cut();
    expect(await lost).toMatchObject({ code: 'ERR_HOST_LOST', details: { turnId: ask.turnId } });
    expect(await claims()).toBe(1);
  });
});

describe('a caller that is gone', () => {
  it('D24 aborts the turn where it runs, and the edge hears how it ended', async () => {
    const gone = new AbortController();
    const aborted = once(words, 'aborted');
    const end = failed(pair.turns.run(askOf('/hold', 's1', gone.signal)));
    await once(words, 'began');
    gone.abort();
    expect(await aborted).toEqual(['holder']);
    expect((await end)?.name).toBe('AbortError');
    expect(await pair.hosts.typesOf(topics.session.name)).toContain('turn.failed');
  });

  it('D24 aborts the turn of an edge that is gone itself', async () => {
    const aborted = once(words, 'aborted');
    const end = failed(pair.turns.run(askOf('/hold', 's1')));
    await once(words, 'began');
    pair.cut();
    expect(await aborted).toEqual(['holder']);
    await end;
  });

  it('R2 counts at the edge while it runs elsewhere: a drain waits for it, and its bound stops it', async () => {
    const end = failed(pair.turns.run(askOf('/hold', 's1')));
    await once(words, 'began');
    expect(pair.edge.runner.running).toBe(1);
    pair.edge.runner.stop();
    await pair.edge.runner.drained();
    expect((await end)?.name).toBe('AbortError');
  });
});

describe('a pass', () => {
  const outcome = async (text?: string) => {
    const socket = new WebSocket(`${pair.url.replace('http', 'ws')}/v1/hops`, {
      headers: text === undefined ? {} : { [HOP_HEADER]: text },
    });
    socket.on('error', () => {});
    const [status] = await Promise.race([
      once(socket, 'open').then(() => [101]),
      once(socket, 'unexpected-response').then(([, response]) => [(response as { statusCode: number }).statusCode]),
    ]);
    return { status, socket };
  };

  it('L6 that was seen on the way lets nobody in again, and what was said under it runs nothing', async () => {
    const { text } = writePass(pair.key, 'edge', holder, Date.now());
    const first = await outcome(text);
    expect([first.status, (await outcome(text)).status]).toEqual([101, 404]);
    first.socket.send('{"kind":"run"}');
    await once(first.socket, 'close');
    expect([await claims(), pair.strangers.length]).toEqual([0, 1]);
  });

  it('L6 is what the way in takes: without one it is not there, and the request is counted', async () => {
    expect([(await outcome()).status, (await outcome('x.y')).status]).toEqual([404, 404]);
    expect(pair.strangers).toHaveLength(2);
  });
});

describe('a stream that is read again', () => {
  it('D23 goes on from the host that runs the turn, under the numbers the edge gave, and outlives the edge', async () => {
    const { TurnStreams } = await import('@doorledger/doors');
    const atEdge = new TurnStreams({ abandonedAfterMs: undefined, keptMs: 1000 }).begin();
    const signer = 'a'.repeat(32);
    const ask = { ...askOf('/hold', 's1'), signer };
    const frames: string[] = [];
    atEdge.read(0, { frame: ({ n, data }) => frames.push(`${n} ${data}`), end: () => {} });
    const end = failed(pair.turns.run({ ...ask, watch: atEdge }));
    await once(words, 'began');
    const again: string[] = [];
    let over!: () => void;
    const isOver = new Promise<void>((resolve) => (over = resolve));
    const reader = { frame: (frame: { n: number; data: string }) => again.push(`${frame.n} ${frame.data}`), end: over };
    const of = { turnId: ask.turnId, host: holder, userRef: signer };
    expect(await readElsewhere({ ...of, userRef: 'b'.repeat(32) }, 0, reader, pair.peers)).toBe(false);
    expect(await readElsewhere(of, 9, reader, pair.peers)).not.toBe(false);
    again.length = 0;
    const stop = await readElsewhere(of, 1, { ...reader, end: () => {} }, pair.peers);
    while (again.length < 1) await new Promise(setImmediate);
    expect(frames.slice(1)).toEqual(again);
    words.emit('go');
    await end;
    await isOver;
    expect(stop).not.toBe(false);
    expect(again.at(-1)).toBe('4 {"output":"holder: /hold"}');
  });

  it('D24 gives a resumable stream its time without a reader, then aborts', async () => {
    const { TurnStreams } = await import('@doorledger/doors');
    const watch = new TurnStreams({ abandonedAfterMs: undefined, keptMs: 1000 }).begin();
    const aborted = once(words, 'aborted');
    const end = failed(pair.turns.run({ ...askOf('/hold', 's1'), watch }));
    await once(words, 'began');
    const cutAt = performance.now();
    pair.cut();
    await aborted;
    expect(performance.now() - cutAt).toBeGreaterThan(40);
    expect(await end).toMatchObject({ code: 'ERR_HOST_LOST' });
  });
});
