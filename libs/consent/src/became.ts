import type { StandingVerdict } from './refusal.js';

/** What the ledger says of a request and of the call it was minted for. */
export interface RequestRow {
  /** `void`: its pause did not follow, so nobody could ever spend it. */
  readonly status: 'pending' | 'void' | StandingVerdict;
  /** The approved call's run is over and it was never sent (N22). */
  readonly isNotRun: boolean;
  /** Its newest standing dispatch: in flight, ended, of unknown outcome, or what a person said of it; absent where none stands. */
  readonly call?: 'open' | 'not-sent' | 'ended' | 'outcome-unknown' | 'ran' | 'did-not-run';
}

/**
 * - `pending`: nobody settled it.
 * - `never-ran`: the standing record proves that the call did not run and never can.
 * - `under-way`: approved; its run may still send it, or waits for its end.
 * - `spent-not-run`: approved and spent; it did not run and never will.
 * - `ran`: sent, and its end is known (whether ok or error), or a person says so.
 * - `did-not-run`: sent or not, a person says that it had no effect.
 * - `outcome-unknown`: it may have run; it is never run again.
 */
export type Became =
  | { readonly state: 'pending' | 'under-way' | 'spent-not-run' | 'ran' | 'did-not-run' | 'outcome-unknown' }
  | { readonly state: 'never-ran'; readonly by: 'void' | Exclude<StandingVerdict, 'approved'> };

/** What became of a call that asked for approval (N12, N22, N31). Declined is only what a standing `declined` says (N34). */
export function whatBecame({ status, isNotRun, call }: RequestRow): Became {
  if (status === 'pending') return { state: 'pending' };
  if (status !== 'approved') return { state: 'never-ran', by: status };
  if (isNotRun) return { state: 'spent-not-run' };
  switch (call) {
    case 'ended':
    case 'ran':
      return { state: 'ran' };
    case 'did-not-run':
    case 'outcome-unknown':
      return { state: call };
    case 'open':
    case 'not-sent':
    case undefined:
      return { state: 'under-way' };
  }
}
