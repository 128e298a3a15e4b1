import { handshake } from '../../libs/doors/src/ws/testing/peer.js';
import { Connection } from './connection.js';
import { fragments, goodbye, oddFrame, textFrame } from './frames.js';
import { oddRequest, type Known } from './http-requests.js';
import type { Judge } from './judge.js';
import { oddHeaderValues, type Chance } from './oddities.js';

export interface LaneOptions {
  readonly port: number;
  readonly chance: Chance;
  readonly tokens: readonly string[];
  /** Whether there is another request to make. */
  readonly next: () => boolean;
  readonly judge: Judge;
  /** Different for each lane: some of its sessions are its own. */
  readonly name: number;
}

export interface LaneReport {
  /** Requests with exactly one place in the census, as far as this side can tell. */
  readonly placed: number;
  /** Most places of everything else. */
  readonly unsure: number;
}

/** A lane holds at most so many frames in one conversation. */
const FRAMES = 20;

/** One request after the other over connections that are kept alive, and now and then a conversation. */
export async function lane({ port, chance, tokens, next, judge, name }: LaneOptions): Promise<LaneReport> {
  const known: Known = { tokens, sessions: ['shared', 'shared-2', ...Array.from({ length: 20 }, (_, i) => `of-${name}-${i}`)] };
  let connection = new Connection(port);
  let [placed, unsure] = [0, 0];
  while (next()) {
    if (chance.in(0.02)) {
      unsure += 1 + (await converse(port, chance, known, next, judge));
      continue;
    }
    const { bytes, isHead, isLast, isPlaced } = oddRequest(chance, known);
    if (connection.isClosed) connection = new Connection(port);
    const came = isLast ? await connection.tell(bytes, isHead) : [await connection.ask(bytes, isHead)];
    for (const each of came) judge.came(each, bytes);
    if (isPlaced && typeof came[0] === 'object') placed++;
    // Bytes that were taken for several requests have a place for each answer, and one for what broke.
    else unsure += came.length + 1;
    if (came.at(-1) === 'silent' || came.at(-1) === 'garbage') connection.destroy();
  }
  await connection.leave();
  return { placed, unsure };
}

/** A conversation of some frames; resolves with how many there were. */
async function converse(port: number, chance: Chance, { tokens, sessions }: Known, next: () => boolean, judge: Judge): Promise<number> {
  const connection = new Connection(port);
  const lines = chance.in(0.7) ? [`Authorization: Bearer ${chance.one(tokens)}`] : [];
  if (chance.in(0.2))
    lines.push(`${chance.one(['Sec-WebSocket-Protocol', 'Origin', 'Sec-WebSocket-Version'])}: ${chance.one(oddHeaderValues)}`);
  const handshakeBytes = Buffer.from(handshake(port, ...lines), 'latin1');
  const came = await connection.ask(handshakeBytes, false);
  judge.came(came, handshakeBytes);
  if (typeof came === 'string' || came.status !== 101) {
    connection.destroy();
    return 0;
  }
  // Most odd frames end a conversation: in some of them there are none, so that it goes on.
  const isCalm = chance.in(0.3);
  let frames = 0;
  while (frames < FRAMES && next()) {
    frames++;
    if (isCalm) connection.send(textFrame(chance, sessions));
    else connection.send(chance.in(0.9) ? oddFrame(chance, sessions) : fragments(chance, sessions));
    if (isCalm) await connection.settled();
  }
  if (chance.in(0.5)) await connection.settled();
  if (chance.in(0.8)) connection.send(goodbye());
  judge.conversation(await connection.leave());
  return frames;
}
