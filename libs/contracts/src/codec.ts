import type { FactEvent } from './event.js';
import { factByType } from './facts/index.js';
import { DoorledgerError } from './error.js';
import type { HeadersJson } from './headers-json.js';
import { whyInvalid } from './validate.js';

export interface EncodedRecord {
  readonly value: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

export class FactRefusedError extends DoorledgerError {}

/**
 * The record of an event: its JSON as the value and the same attributes as `ce_*` headers, so that kind and subject are
 * known even if the body cannot be read (L8).
 * @throws FactRefusedError `ERR_FACT_INVALID` or `ERR_FACT_TOO_LARGE`: nothing of it was sent.
 */
export function encode(event: FactEvent): EncodedRecord {
  const problem = whyInvalid(event);
  if (problem) throw new FactRefusedError('ERR_FACT_INVALID', `A ${event.type} fact breaks its schema at ${problem}.`);
  const value = Buffer.from(JSON.stringify(event));
  const { maxBytes } = factByType.get(event.type)!.topic;
  if (value.length > maxBytes)
    throw new FactRefusedError('ERR_FACT_TOO_LARGE', `A ${event.type} fact is ${value.length} bytes; at most ${maxBytes} fit.`);
  const headers: Record<string, string> = {
    'content-type': 'application/cloudevents+json; charset=UTF-8',
    ce_specversion: event.specversion,
    ce_id: event.id,
    ce_source: event.source,
    ce_type: event.type,
    ce_time: event.time,
    ce_subject: event.subject,
    ce_dataschema: event.dataschema,
  };
  if (event.traceparent) headers.ce_traceparent = event.traceparent;
  return { value, headers };
}

/** What a reader makes of a record. `type`, `id` and `subject` come from the headers and survive an unreadable body. */
export interface DecodedRecord {
  readonly type?: string;
  readonly id?: string;
  readonly subject?: string;
  /** The body, parsed but not validated; absent when it is not a JSON object with a `data` object. */
  readonly body?: { readonly [name: string]: unknown; readonly data: { readonly [name: string]: unknown } };
}

/** What an adapter has of a record: its bytes and headers, or the same as UTF-8 text and as JSON. */
export interface RecordContent {
  readonly value: Uint8Array | string | null;
  readonly headers: Readonly<Record<string, string>> | HeadersJson;
}

const isObject = (v: unknown): v is Record<string, unknown> => typeof v === 'object' && v !== null && !Array.isArray(v);

const utf8Of = (bytes: Uint8Array): string =>
  (Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)).toString('utf8');

/** Never throws: what cannot be read is absent. */
export function decode({ value, headers }: RecordContent): DecodedRecord {
  const { ce_type, ce_id, ce_subject } = headers;
  return { type: ce_type || undefined, id: ce_id || undefined, subject: ce_subject || undefined, body: bodyOf(value) };
}

function bodyOf(value: RecordContent['value']): DecodedRecord['body'] {
  if (!value) return undefined;
  try {
    const body: unknown = JSON.parse(typeof value === 'string' ? value : utf8Of(value));
    return isObject(body) && isObject(body.data) ? (body as DecodedRecord['body']) : undefined;
  } catch {
    // Unreadable: the fold (L8) or the quarantine decides what that means.
    return undefined;
  }
}
