import { EventEmitter, once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { WebSocket, type ClientOptions } from 'ws';

export interface AnswerFrame {
  readonly id?: string | number;
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A client with the real `ws`: its answers in the order they came. */
export class Peer {
  readonly frames: AnswerFrame[] = [];
  /** The close code and reason. */
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly #came = new EventEmitter();

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data) => {
      this.frames.push(JSON.parse((data as Buffer).toString()) as AnswerFrame);
      this.#came.emit('frame');
    });
    this.closed = new Promise((resolve) =>
      socket.once('close', (code, reason) => {
        resolve({ code, reason: reason.toString() });
      }),
    );
  }

  static async open(at: string, options: ClientOptions = {}, path = '/conversation', protocols: string[] = []): Promise<Peer> {
    const peer = new Peer(new WebSocket(`ws://${at}${path}`, protocols, options));
    peer.socket.on('error', () => {});
    await once(peer.socket, 'open');
    return peer;
  }

  say(frame: unknown): void {
    this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  /** The first frame, come or still to come, that `is` what is asked for. */
  async frame(is: (frame: AnswerFrame) => boolean): Promise<AnswerFrame> {
    for (;;) {
      const found = this.frames.find(is);
      if (found) return found;
      await once(this.#came, 'frame');
    }
  }

  /** The terminal of a request. */
  terminal(id: string | number | undefined): Promise<AnswerFrame> {
    return this.frame((frame) => frame.id === id && frame.event !== 'progress' && frame.event !== 'chunk');
  }
}

export interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: { readonly error: string; readonly code?: string };
}

/** How a handshake is refused. */
export async function refusal(at: string, options: ClientOptions = {}, path = '/conversation'): Promise<Refusal> {
  const socket = new WebSocket(`ws://${at}${path}`, options);
  socket.on('error', () => {});
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode!, headers: response.headers, body: JSON.parse(text) as Refusal['body'] };
}

export const handshake = (port: number, ...lines: string[]): string =>
  [
    'GET /conversation HTTP/1.1',
    `Host: localhost:${port}`,
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: AQIDBAUGBwgJCgsMDQ4PEA==',
    ...lines,
    '',
    '',
  ].join('\r\n');

/** Everything that a raw exchange brought back, as latin1, once the other side has ended it. */
export async function exchange(port: number, bytes: string | Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(bytes);
  return rest(socket);
}

export async function rest(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'close');
  return Buffer.concat(chunks).toString('latin1');
}

/** One frame of a client; `announced`: a length that is not the payload's. */
export function rawFrame(opcode: number, payload: Buffer, { fin = true, masked = true, announced = payload.length } = {}): Buffer {
  const length = announced < 126 ? Buffer.alloc(0) : Buffer.alloc(8);
  if (length.length > 0) length.writeBigUInt64BE(BigInt(announced));
  const head = Buffer.from([(fin ? 0x80 : 0) | opcode, (masked ? 0x80 : 0) | (announced < 126 ? announced : 127)]);
  // A mask of zeros changes nothing.
  return Buffer.concat([head, length, Buffer.alloc(masked ? 4 : 0), payload]);
}

/** The code of the close frame that a raw exchange ended with. */
export function closeCode(answer: string): number | undefined {
  const frames = Buffer.from(answer.slice(answer.indexOf('\r\n\r\n') + 4), 'latin1');
  for (let at = 0; at + 3 < frames.length; at += 2 + (frames[at + 1]! & 0x7f)) if (frames[at] === 0x88) return frames.readUInt16BE(at + 2);
  return undefined;
}
