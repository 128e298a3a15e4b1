import type { ComponentChildren } from 'preact';
import type { Deed } from './decide.js';

export const names: Readonly<Record<Deed, string>> = {
  approve: 'Approve',
  allow: 'Approve and allow such calls',
  change: 'Approve with changes',
  decline: 'Decline',
  close: 'Close',
};

/** What the button that sends it says. */
export const wordsOf = (deed: Deed, tool: string): string =>
  ({
    approve: `Approve: run ${tool} once`,
    allow: `Give the grant, and run ${tool} once`,
    change: `Approve as changed: run ${tool} once`,
    decline: `Decline: ${tool} does not run`,
    close: 'Close: it never runs',
  })[deed];

interface Props {
  readonly deed: Deed;
  readonly tool: string;
  readonly person: ComponentChildren;
  /** `up to 5 calls like it may run within 1 day` */
  readonly grant: string;
}

/** What a decision does, in one sentence before it is sent. */
export function Meaning({ deed, tool, person, grant }: Props) {
  const name = <b class="mono">{tool}</b>;
  switch (deed) {
    case 'approve':
      return (
        <>
          This runs {name} once, exactly as shown, for {person}.
        </>
      );
    case 'allow':
      return (
        <>
          This runs {name} once, exactly as shown, for {person}. After it, {grant} <b>without asking anybody</b>, with the arguments that
          are said above.
        </>
      );
    case 'change':
      return (
        <>
          This closes the request and asks anew with your arguments, approved by the same word: {name} runs once with them. The agent is
          told that they are not its own.
        </>
      );
    case 'decline':
      return <>{name} does not run, and nobody can approve it any more.</>;
    case 'close':
      return <>Nobody can answer any more: {name} never ran and never will. The log proves it.</>;
  }
}
