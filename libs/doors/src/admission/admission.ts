import type { Principal } from '@doorledger/access';

/** Who asks for a turn or a resume, after identity and ownership (A1). */
export interface AdmissionAsk {
  readonly principal?: Principal;
  readonly sessionId?: string;
  /** One name for each proven person, made of their whole triple (I9); of no meaning for anybody else. */
  readonly userKey: string;
}

export type AdmissionVerdict =
  | { readonly kind: 'allow' }
  /** Runs behind this session's work, even under `concurrency: reject`. */
  | { readonly kind: 'queue' }
  /** 429 with the sentence, and `Retry-After` in whole seconds. */
  | { readonly kind: 'refuse'; readonly sentence: string; readonly retryAfterS: number };

/** Whether work is taken on. An operator may bring one of their own. */
export interface AdmissionPolicy {
  admit(ask: AdmissionAsk): Promise<AdmissionVerdict>;
}

/** A2: the policy gave no verdict, so nothing is admitted: 500 `failed`, and no verdict is recorded. `error` is for log lines. */
export interface BrokenAdmission {
  readonly kind: 'broken';
  readonly error?: unknown;
}

export type Admit = (ask: AdmissionAsk) => Promise<AdmissionVerdict | BrokenAdmission>;

/** A2: fails closed. Whatever a policy throws or answers beside the three verdicts is `broken`. Never throws. */
export function makeAdmission(policy: AdmissionPolicy): Admit {
  return async (ask) => {
    try {
      return verdictOf(await policy.admit(ask)) ?? { kind: 'broken' };
    } catch (error) {
      return { kind: 'broken', error };
    }
  };
}

/** The verdict, copied; undefined for what is none. */
function verdictOf(answer: unknown): AdmissionVerdict | undefined {
  const { kind, sentence, retryAfterS } = (answer ?? {}) as Record<string, unknown>;
  if (kind === 'allow' || kind === 'queue') return { kind };
  if (kind !== 'refuse' || typeof sentence !== 'string' || sentence.trim() === '') return undefined;
  if (typeof retryAfterS !== 'number' || !Number.isFinite(retryAfterS)) return undefined;
  return { kind, sentence, retryAfterS: Math.max(1, Math.ceil(retryAfterS)) };
}
