export interface Posted {
  /** 0 when no whole answer came, for want of time or of a server. */
  readonly status: number;
  readonly code?: string;
  readonly text: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** Asks once and never throws. */
export async function post(url: string, body: object, limitMs: number, headers: Readonly<Record<string, string>> = {}): Promise<Posted> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(limitMs),
    });
    const text = await response.text();
    const read = JSON.parse(text) as { code?: string };
    return { status: response.status, code: read.code, text, body: read };
  } catch {
    return { status: 0, text: '' };
  }
}

/** What a retry under the key of a turn that failed is told (D18). */
const FAILED_BEFORE = 'This turn failed.';

/** Status and code, or what stands for one. */
export function nameOf({ status, code, body }: Posted): string {
  const said = body?.error === FAILED_BEFORE ? 'failed before' : code;
  return said === undefined ? String(status) : `${status} ${said}`;
}
