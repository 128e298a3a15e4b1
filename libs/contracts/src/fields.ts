import { Type } from '@sinclair/typebox';

/** Field types shared by facts. Patterns bound what a public fact can carry: references and classes, never text (spec 9). */
const text = (max: number) => Type.String({ minLength: 1, maxLength: max });

export const Uuid = Type.String({ pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' });
/** 32 hex of HMAC-SHA-256 over the tenant-scoped id (O8). */
export const Ref = Type.String({ pattern: '^[0-9a-f]{32}$' });
/** SHA-256 in lower-case hex. */
export const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });
/** 12 hex of HMAC-SHA-256 over an isolation key (T3). */
export const KeyHash = Type.String({ pattern: '^[0-9a-f]{12}$' });
/** The class of an error, never its text (T41). */
export const ErrorClass = Type.String({ pattern: '^[A-Za-z0-9_$]{1,64}$' });
export const ErrorCode = Type.String({ pattern: '^[A-Z][A-Z0-9_]{0,63}$' });
export const Name = text(200);
export const HostId = text(200);
export const Count = Type.Integer({ minimum: 0 });
/** Milliseconds since the Unix epoch. */
export const EpochMs = Type.Integer({ minimum: 0 });
export const Millis = Type.Integer({ minimum: 0 });

export const RecordPosition = Type.Object({ partition: Count, offset: Count });
/** Where private content lies and the SHA-256 of the record's value there (L10). */
export const PrivateRef = Type.Object({ partition: Count, offset: Count, hash: Sha256 });
export const Usage = Type.Object({ inputTokens: Count, outputTokens: Count, model: Name });
export const Gate = Type.Union([Type.Literal('checkIn'), Type.Literal('ask')]);
export const literals = <const T extends readonly string[]>(...values: T) =>
  Type.Unsafe<T[number]>(Type.Union(values.map((v) => Type.Literal(v))));
