import { Refusal, ask } from './http.js';
import { store } from './store.js';

/** Who looks at the page, as `GET /v1/me` says. */
export interface Me {
  /** Nobody is checked: anybody who reaches this address may do everything. */
  readonly open: boolean;
  readonly signedIn: boolean;
  readonly name?: string;
  readonly userRef?: string;
  readonly roles: readonly string[];
  readonly tenant?: string;
  /** Where to sign in. */
  readonly signIn?: string;
}

export const me = store<Me | undefined>(undefined);

/** A server without signing in is one that checks tokens or nobody: its API says which. */
const WITHOUT: Me = { open: true, signedIn: false, roles: [] };

export async function findMe(): Promise<void> {
  try {
    me.set(await ask<Me>('/v1/me'));
  } catch (error) {
    if (!(error instanceof Refusal && error.status === 404)) throw error;
    me.set(WITHOUT);
  }
}

const has = ({ open, roles }: Me, ...any: readonly string[]): boolean => open || any.some((role) => roles.includes(role));

/** P1: who reads all public facts. */
export const seesAll = (who: Me): boolean => has(who, 'auditor', 'operator');
/** P1: who freezes and reconciles; where there are tenants, an operator of them all. */
export const operates = (who: Me): boolean => has(who, 'operator') && (who.tenant === undefined || who.tenant === '*');
