import { createHash } from 'node:crypto';

/** Stands in everything that a caller of the door table sends, and may stand in nothing that is kept, logged or shown to others. */
export const CANARY = 'kanarienvogel';

/** A word of its own that carries the canary. */
export const canary = (name: string): string => `${CANARY}-${name}`;

const digests = (secret: string): string[] =>
  ['hex', 'base64', 'base64url'].map((encoding) =>
    createHash('sha256')
      .update(secret)
      .digest(encoding as 'hex'),
  );

/** Base64 of a text at each of the three places it may begin at, without the characters that its neighbours change. */
const insideBase64 = (text: string): string[] =>
  [0, 1, 2].map((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), Buffer.from(text)]);
    return whole
      .subarray(0, whole.length - (whole.length % 3))
      .toString('base64')
      .slice(before === 0 ? 0 : 4);
  });

/** Finds secrets in bytes: as they are, in hex, in base64, in UTF-16, and the digest of each. */
export class CanarySearch {
  readonly #needles = new Map<string, Buffer>();

  /** The canary itself is always looked for; `whole`: secrets that do not carry it, such as a signature. */
  constructor(whole: Iterable<string>) {
    const add = (name: string, bytes: string | Buffer) => this.#needles.set(name, Buffer.from(bytes as string));
    add('plain', CANARY);
    add('upper case', CANARY.toUpperCase());
    add('hex', Buffer.from(CANARY).toString('hex'));
    add('utf-16', Buffer.from(CANARY, 'utf16le'));
    for (const [i, text] of insideBase64(CANARY).entries()) add(`base64 at ${i}`, text);
    for (const [i, secret] of [...whole].entries()) {
      add(`secret ${i}`, secret);
      for (const digest of digests(secret)) add(`digest of secret ${i} ${digest.length}`, digest);
    }
  }

  /** The names of what is there. */
  in(bytes: Uint8Array | string): string[] {
    const hay = typeof bytes === 'string' ? Buffer.from(bytes) : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return [...this.#needles].flatMap(([name, needle]) => (hay.includes(needle) ? [name] : []));
  }
}
