import { createHash } from 'node:crypto';
import { encode, eventOf, topics, type EventOrigin, type Fact, type FactData } from '@doorledger/contracts';
import { AppendIndefiniteError, type EventLog, type NewRecord, type Position } from '@doorledger/event-log';
import { sealContent, type ContentKeys, type KeyOwner } from '@doorledger/privacy';
import type { Message } from '@doorledger/agent';
import { TurnError } from './turn-error.js';

/** Where private content lies and the hash of its record (L10). */
export type PrivateRef = FactData<'turn.stepped'>['private'];

/** Sealed content on its way to the log. */
export interface NamedRecord {
  readonly record: NewRecord;
  readonly refAt: (place: Position) => PrivateRef;
}

/** Whose turn some content belongs to. */
export interface ContentScope {
  /** The session's reference, or the turnId of a turn without one: the record's key. */
  readonly key: string;
  readonly turnId: string;
  readonly runId: string;
  readonly owner: KeyOwner;
}

/** A file as a tool returned it. */
export interface ArtifactFile {
  readonly mimeType: string;
  readonly name?: string;
  readonly bytes: Uint8Array;
  /** Epoch ms; nobody is given it later. */
  readonly expiresAt: number;
}

export interface PrivateWriterOptions {
  readonly log: Pick<EventLog, 'append'>;
  readonly keys: ContentKeys;
  readonly origin: EventOrigin;
}

/** Base64 per record: the record bound is 640 KiB, the envelope takes some of it, and pieces of a multiple of four are base64 themselves. */
const PART_CHARS = 600 * 1024;
const TRIES = 5;

const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');

/** Writes a turn's content to the private topic, sealed (X1). Nothing of it counts until a standing record names it (L10). */
export class PrivateWriter {
  readonly #options: PrivateWriterOptions;

  constructor(options: PrivateWriterOptions) {
    this.#options = options;
  }

  /**
   * The messages added since the previous standing record (L14). Durable when it resolves. Ciphertext past the record bound is
   * split; it is named at its first part by the hash of the whole (spec 9).
   */
  async messages(scope: ContentScope, messages: readonly Message[]): Promise<PrivateRef> {
    return this.#sealed(scope, 'messages.added', { messages: messages.length }, JSON.stringify(messages));
  }

  /** The same content as one record that is not written yet; undefined where it takes several. */
  async messagesRecord(scope: ContentScope, messages: readonly Message[]): Promise<NamedRecord | undefined> {
    const { key: recordKey, turnId, runId, owner } = scope;
    const key = await this.#options.keys.keyFor(owner);
    const { keyId, sealed } = sealContent(key, JSON.stringify(messages), { type: 'messages.added', subject: turnId });
    if (sealed.length > PART_CHARS) return undefined;
    const fact = { type: 'messages.added', data: { turnId, runId, keyId, messages: messages.length, sealed } } as const;
    const record = { key: recordKey, ...encode(eventOf(fact, this.#options.origin)) };
    const hash = sha256(record.value);
    return { record, refAt: ({ partition, offset }) => ({ partition, offset, hash }) };
  }

  /** What a paused turn needs to go on (L4). */
  pause(scope: ContentScope, text: string): Promise<PrivateRef> {
    return this.#sealed(scope, 'pause.stored', {}, text);
  }

  /** A file that a tool handed over (H2). Durable when it resolves; it counts once a standing record's messages name its reference. */
  async artifact(scope: ContentScope, artifactRef: string, { bytes, ...file }: ArtifactFile): Promise<void> {
    const text = JSON.stringify({ ...file, bytes: Buffer.from(bytes).toString('base64') });
    await this.#sealed(scope, 'artifact.stored', { artifactRef }, text);
  }

  /** Resolves to where the content lies: split content at its first part, named by the hash of the whole. */
  async #sealed<T extends 'messages.added' | 'pause.stored' | 'artifact.stored'>(
    { key: recordKey, turnId, runId, owner }: ContentScope,
    type: T,
    more: T extends 'messages.added' ? { readonly messages: number } : T extends 'pause.stored' ? object : { readonly artifactRef: string },
    text: string,
  ): Promise<PrivateRef> {
    const key = await this.#options.keys.keyFor(owner);
    const { keyId, sealed } = sealContent(key, text, { type, subject: turnId });
    const write = (content: Pick<FactData<'messages.added'>, 'sealed' | 'part'>) =>
      this.#write(recordKey, { type, data: { turnId, runId, keyId, ...more, ...content } } as unknown as Fact);
    if (sealed.length <= PART_CHARS) return write({ sealed });
    const whole = sha256(Buffer.from(sealed, 'base64'));
    const count = Math.ceil(sealed.length / PART_CHARS);
    let first: PrivateRef | undefined;
    for (let index = 0; index < count; index++) {
      const piece = sealed.slice(index * PART_CHARS, (index + 1) * PART_CHARS);
      const ref = await write({ sealed: piece, part: { index, count, whole } });
      first ??= { ...ref, hash: whole };
    }
    return first!;
  }

  /** The session's id, before the first fact that uses its reference (spec 9). */
  async sessionName(sessionRef: string, sessionId: string): Promise<void> {
    const key = await this.#options.keys.keyFor({ kind: 'session', ref: sessionRef });
    const data = { sessionRef, ...sealContent(key, sessionId, { type: 'session.named', subject: sessionRef }) };
    await this.#append({ key: sessionRef, ...encode(eventOf({ type: 'session.named', data }, this.#options.origin)) });
  }

  /** A person's names, before the first fact that uses their reference (spec 9). */
  async personNamed(userRef: string, names: { issuer: string; tenant?: string; subject: string; name?: string }): Promise<void> {
    const key = await this.#options.keys.keyFor({ kind: 'person', ref: userRef });
    const data = { userRef, ...sealContent(key, JSON.stringify(names), { type: 'subject.named', subject: userRef }) };
    await this.#append({ key: userRef, ...encode(eventOf({ type: 'subject.named', data }, this.#options.origin)) });
  }

  /** What a grant allows (N52), under the key of the person it covers, or of the session where nobody is known. */
  async grantPattern(owner: KeyOwner, grantId: string, pattern: string): Promise<PrivateRef> {
    const key = await this.#options.keys.keyFor(owner);
    const data = { grantId, userRef: owner.ref, ...sealContent(key, pattern, { type: 'grant.stored', subject: grantId }) };
    return this.#write(owner.ref, { type: 'grant.stored', data });
  }

  async #write(key: string, fact: Fact): Promise<PrivateRef> {
    const record = { key, ...encode(eventOf(fact, this.#options.origin)) };
    const { partition, offset } = await this.#append(record);
    return { partition, offset, hash: sha256(record.value) };
  }

  async #append(record: NewRecord): Promise<Position> {
    for (let tries = 1; ; tries++) {
      try {
        const [position] = await this.#options.log.append(topics.private.name, [record]);
        return position!;
      } catch (error) {
        if (!(error instanceof AppendIndefiniteError)) throw error;
        if (tries === TRIES) throw new TurnError('ERR_LOG_UNAVAILABLE', 'The log does not answer.', { cause: error });
      }
    }
  }
}
