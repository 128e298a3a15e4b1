import { oddBody } from './bodies.js';
import type { Chance } from './oddities.js';

const OPCODES = [0, 1, 2, 8, 9, 10, 3, 11, 15];
const CLOSE_CODES = [1000, 1001, 1005, 999, 65535];

export const textFrame = (chance: Chance, sessions: readonly string[]): Buffer =>
  frame({ opcode: 1, payload: oddBody(chance, sessions), mask: chance.bytes(4) });

/** A client's frame of chance: mostly a good text, else an odd opcode, flag, mask or length. */
export function oddFrame(chance: Chance, sessions: readonly string[]): Buffer {
  if (chance.in(0.8)) return textFrame(chance, sessions);
  const body = oddBody(chance, sessions);
  const opcode = chance.one(OPCODES);
  const isControl = opcode >= 8;
  const payload = opcode === 8 ? closing(chance) : isControl && chance.in(0.8) ? body.subarray(0, 125) : body;
  return frame({
    opcode,
    payload,
    isFinal: chance.in(0.7),
    reserved: chance.in(0.1) ? 1 + chance.below(7) : 0,
    ...(chance.in(0.85) && { mask: chance.bytes(4) }),
    announced: chance.in(0.1) ? chance.one([0, 125, 126, 65_536, 2 ** 20 + 1, 2 ** 53]) : payload.length,
  });
}

const closing = (chance: Chance): Buffer => {
  const code = Buffer.alloc(2);
  code.writeUInt16BE(chance.one(CLOSE_CODES));
  return Buffer.concat([code, chance.bytes(chance.below(20))]).subarray(0, chance.one([0, 1, 2, 22]));
};

/** A message in fragments, with a ping between them. */
export function fragments(chance: Chance, sessions: readonly string[]): Buffer {
  const body = oddBody(chance, sessions);
  const cut = chance.below(body.length + 1);
  return Buffer.concat([
    frame({ opcode: 1, payload: body.subarray(0, cut), isFinal: false, mask: chance.bytes(4) }),
    frame({ opcode: 9, payload: chance.bytes(chance.below(126)), mask: chance.bytes(4) }),
    frame({ opcode: 0, payload: body.subarray(cut), mask: chance.bytes(4) }),
  ]);
}

export const goodbye = (): Buffer => frame({ opcode: 8, payload: Buffer.from([0x03, 0xe8]), mask: Buffer.alloc(4) });

interface FrameParts {
  readonly opcode: number;
  readonly payload: Buffer;
  readonly isFinal?: boolean;
  readonly reserved?: number;
  readonly mask?: Buffer;
  /** The length that is told, in bytes. */
  readonly announced?: number;
}

function frame({ opcode, payload, isFinal = true, reserved = 0, mask, announced = payload.length }: FrameParts): Buffer {
  const length = announced < 126 ? Buffer.alloc(0) : Buffer.alloc(announced < 65_536 ? 2 : 8);
  if (length.length === 2) length.writeUInt16BE(announced);
  if (length.length === 8) length.writeBigUInt64BE(BigInt(announced));
  const told = announced < 126 ? announced : length.length === 2 ? 126 : 127;
  const head = Buffer.from([(isFinal ? 0x80 : 0) | (reserved << 4) | opcode, (mask ? 0x80 : 0) | told]);
  if (!mask) return Buffer.concat([head, length, payload]);
  const masked = Buffer.from(payload);
  for (let at = 0; at < masked.length; at++) masked[at]! ^= mask[at % 4]!;
  return Buffer.concat([head, length, mask, masked]);
}

/** What a server's frames say: the texts in order, and the code of the close frame; undefined where the bytes are no frames of a server. */
export function readFrames(bytes: Buffer): { readonly texts: readonly string[]; readonly closeCode?: number } | undefined {
  const texts: string[] = [];
  for (let at = 0; at + 2 <= bytes.length;) {
    const opcode = bytes[at]! & 0x0f;
    const told = bytes[at + 1]!;
    const [length, head] =
      told < 126
        ? [told, 2]
        : told === 126 && at + 4 <= bytes.length
          ? [bytes.readUInt16BE(at + 2), 4]
          : told === 127
            ? [longLength(bytes, at), 10]
            : [-1, 0];
    // A server masks nothing (RFC 6455, 5.1), so the mask's bit would be a length of 128 and more.
    if (length < 0) return undefined;
    const payload = bytes.subarray(at + head, at + head + length);
    if (payload.length < length) return { texts };
    if (opcode === 8) return { texts, closeCode: payload.length >= 2 ? payload.readUInt16BE(0) : 1005 };
    if (opcode === 1) texts.push(payload.toString('utf8'));
    else if (opcode !== 9 && opcode !== 10) return undefined;
    at += head + length;
  }
  return { texts };
}

const longLength = (bytes: Buffer, at: number): number => (at + 10 <= bytes.length ? Number(bytes.readBigUInt64BE(at + 2)) : -1);
