import type { Frame } from '@doorledger/doors';
import type { ResumeAsk, ToolProgress, TurnAnswer, TurnAsk } from '@doorledger/turns';
import type { HopFailure } from './hop-failure.js';

type Settled = Parameters<NonNullable<ResumeAsk['onSettled']>>[0];

/** A turn that was judged where it came in (L6). */
export type ForwardedRun = Omit<TurnAsk, 'admit' | 'watch' | 'signal' | 'session'> & {
  readonly session: NonNullable<TurnAsk['session']>;
  readonly mayWait: boolean;
};

/** A decision that was judged where it came in; `paused` as it is stored. */
export type ForwardedResume = Omit<ResumeAsk, 'paused' | 'watch' | 'signal' | 'onSettled'> & { readonly paused: string };

/** What an edge asks for, first of all. `isResumable`: its stream can be read again (D23). */
export type HopAsk =
  | { readonly kind: 'run'; readonly ask: ForwardedRun; readonly isResumable: boolean }
  | { readonly kind: 'resume'; readonly ask: ForwardedResume; readonly isResumable: boolean }
  | { readonly kind: 'read'; readonly turnId: string; readonly after: number; readonly userRef?: string };

/** What it may say after that: its caller is gone (D24). */
export interface HopAbort {
  readonly kind: 'abort';
}

/** What the holder answers. `next`: how far it had read the session's partition. */
export type HopAnswer =
  | { readonly kind: 'step'; readonly step: number }
  | { readonly kind: 'piece'; readonly text: string }
  | { readonly kind: 'tool'; readonly progress: ToolProgress }
  | { readonly kind: 'settled'; readonly verdict: Settled }
  | { readonly kind: 'answer'; readonly answer: TurnAnswer; readonly next: number }
  | { readonly kind: 'failed'; readonly failure: HopFailure; readonly next: number }
  /** Of a stream that is read again. */
  | { readonly kind: 'reading' }
  | { readonly kind: 'frame'; readonly frame: Frame }
  | { readonly kind: 'end' }
  | { readonly kind: 'gone' };
