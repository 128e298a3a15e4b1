import { ask, type Refusal } from '../data/http.js';

export type Deed = 'approve' | 'allow' | 'change' | 'decline' | 'close';

/** What the server said of a decision. */
export type Said =
  | { readonly kind: 'stands'; readonly requestId: string; readonly verdict: string }
  | { readonly kind: 'voted'; readonly have: number; readonly need: number }
  /** Another record settled it first: no fault. */
  | { readonly kind: 'late'; readonly standing: string };

interface Body {
  readonly requestId?: string;
  readonly verdict?: string;
  readonly votes?: { readonly have: number; readonly need: number };
}

/**
 * Sends a decision. Changed arguments go as the text that was typed: no parser of this page has changed them.
 * @throws Refusal
 */
export async function decide(
  requestId: string,
  deed: Deed,
  { note, args }: { readonly note: string; readonly args: string },
): Promise<Said> {
  const to = `/v1/consents/${requestId}/${deed === 'close' ? 'close' : 'decision'}`;
  const fields = [
    ...(deed === 'close' ? [] : [`"approved":${deed !== 'decline'}`]),
    ...(note.trim() !== '' && deed !== 'close' ? [`"note":${JSON.stringify(note.trim())}`] : []),
    ...(deed === 'change' ? [`"changes":{"args":${args}}`] : []),
  ];
  try {
    const body = await ask<Body>(to, { method: 'POST', body: `{${fields.join()}}` });
    if (body.votes) return { kind: 'voted', ...body.votes };
    return { kind: 'stands', requestId: body.requestId ?? requestId, verdict: body.verdict ?? '' };
  } catch (error) {
    const { code, details } = error as Refusal;
    if (code === 'ERR_RESUME_REFUSED' && typeof details.standing === 'string') return { kind: 'late', standing: details.standing };
    throw error;
  }
}

/** Why changed arguments cannot be sent; undefined for those that can. */
export function problemOf(args: string): string | undefined {
  try {
    const value: unknown = JSON.parse(args);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? undefined : 'Arguments are one JSON object: { … }.';
  } catch (error) {
    return `This is no JSON: ${(error as Error).message}.`;
  }
}
