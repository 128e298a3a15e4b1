import type { ConsentItem } from '../data/types.js';
import type { IconName } from '../view/icon.js';
import type { Tone } from '../view/small.js';

export interface Outcome {
  readonly word: string;
  readonly icon: IconName;
  readonly tone: Tone;
  /** What it means. */
  readonly means: string;
}

const approved: Readonly<Record<string, Outcome>> = {
  'under-way': { word: 'approved', icon: 'check', tone: 'ok', means: 'The approval stands. Its call is under way.' },
  ran: { word: 'ran', icon: 'check', tone: 'ok', means: 'The call was sent once, and its end is known.' },
  'spent-not-run': {
    word: 'spent, not run',
    icon: 'warn',
    tone: 'no',
    means: 'The approval was spent, and the call did not run and never will.',
  },
  'did-not-run': { word: 'did not run', icon: 'off', tone: 'off', means: 'A person found out that the call had no effect.' },
  'outcome-unknown': {
    word: 'outcome unknown',
    icon: 'unknown',
    tone: 'unk',
    means: 'The call was sent and nobody knows how it ended. It is never run again.',
  },
};

const others: Readonly<Record<string, Outcome>> = {
  pending: { word: 'waiting', icon: 'clock', tone: 'acc', means: 'Nobody has decided.' },
  declined: { word: 'declined', icon: 'cross', tone: 'no', means: 'A person declined. The call did not run and never will.' },
  expired: { word: 'expired', icon: 'off', tone: 'off', means: 'Nobody decided in time. The call did not run and never will.' },
  closed: { word: 'closed', icon: 'stop', tone: 'off', means: 'The request was closed. The call never ran and never will.' },
  void: { word: 'void', icon: 'off', tone: 'off', means: 'Its pause did not follow. Nobody could ever approve it.' },
  unknown: { word: 'unknown', icon: 'unknown', tone: 'unk', means: 'A record that settled it cannot be read.' },
};

/** What became of a request: five ends, five icons, five words. */
export const outcomeOf = ({ state, became }: Pick<ConsentItem, 'state' | 'became'>): Outcome =>
  (state === 'approved' ? approved[became.state] : others[state]) ?? others.unknown!;

/** Nothing more will be known of it without a person. */
export const isOver = ({ state, became }: Pick<ConsentItem, 'state' | 'became'>): boolean =>
  state !== 'pending' && !(state === 'approved' && became.state === 'under-way');
