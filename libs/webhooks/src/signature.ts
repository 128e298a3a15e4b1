import { createHmac } from 'node:crypto';

const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;
/** Of the Standard Webhooks specification, in bytes. */
const SHORTEST = 24;
const LONGEST = 64;

/** The key that a text `whsec_<base64>` of 24 to 64 bytes stands for; undefined for any other text. */
export function secretOf(text: string): Buffer | undefined {
  const key = Buffer.from(SECRET.exec(text)?.[1] ?? '', 'base64');
  return key.length >= SHORTEST && key.length <= LONGEST ? key : undefined;
}

export interface SignedContent {
  readonly id: string;
  /** Seconds since the Unix epoch. */
  readonly timestamp: number;
  readonly body: string;
}

/**
 * The header `webhook-signature` (N54): a signature under each secret with a space between, so that a receiver can go from one to the next.
 * HMAC-SHA256 over `id.timestamp.body`, as the Standard Webhooks specification signs.
 */
export const signatureOf = ({ id, timestamp, body }: SignedContent, secrets: readonly Buffer[]): string =>
  secrets.map((secret) => `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`).join(' ');
