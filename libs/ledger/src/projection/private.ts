import { hash } from 'node:crypto';
import { readEvent } from './readable.js';
import type { Projection } from './projection.js';

type Sealed = {
  readonly keyId: string;
  readonly sealed: string;
  readonly part?: { readonly index: number; readonly count: number; readonly whole: string };
};

const bytes = (sealed: string): Uint8Array => Buffer.from(sealed, 'base64');
const sha256 = (value: Uint8Array): string => hash('sha256', value, 'hex');

/** Ciphertext by its place. It counts only where a standing fact names it (L10), which is asked when it is read. */
export const projectPrivate: Projection = (record, changes) => {
  const reading = readEvent(record);
  if (!reading) return undefined;
  if ('why' in reading) return reading.why;
  const { event } = reading;
  const { partition, offset, key } = record;
  const hashOf = ({ part }: Sealed): string => part?.whole ?? sha256(record.value!);
  switch (event.type) {
    case 'session.named':
    case 'subject.named': {
      const [ref, kind] = event.type === 'session.named' ? [event.data.sessionRef, 'session'] : [event.data.userRef, 'person'];
      if (ref !== key) return 'key';
      changes.put('subject', { ref, kind, partition, offset, key_id: event.data.keyId, sealed: bytes(event.data.sealed) });
      return undefined;
    }
    case 'messages.added':
    case 'pause.stored':
    case 'note.added': {
      const { data, type } = event;
      changes.append('message', {
        partition,
        offset,
        session_key: key,
        type,
        turn_id: data.turnId,
        run_id: data.runId,
        at: record.timestamp,
        key_id: data.keyId,
        sealed: bytes(data.sealed),
        messages: event.type === 'messages.added' ? event.data.messages : null,
        hash: hashOf(data),
        part: data.part?.index ?? null,
        parts: data.part?.count ?? null,
      });
      return undefined;
    }
    case 'artifact.stored': {
      const { data } = event;
      changes.append('artifact', {
        partition,
        offset,
        artifact_ref: data.artifactRef,
        part: data.part?.index ?? 0,
        parts: data.part?.count ?? 1,
        session_key: key,
        turn_id: data.turnId,
        run_id: data.runId,
        at: record.timestamp,
        key_id: data.keyId,
        sealed: bytes(data.sealed),
        hash: hashOf(data),
      });
      return undefined;
    }
    default:
      return undefined;
  }
};
