import { useSessionName } from '../data/names.js';
import { hashOf } from '../route.js';
import { short } from '../words/names.js';
import { Shown } from './shown.js';

/** A session by its id where it is one's own, else by its reference. */
export function SessionName({ of }: { readonly of: string }) {
  const name = useSessionName(of);
  return name === undefined ? <span class="mono">{short(of)}</span> : <Shown text={name} mono />;
}

export const SessionLink = ({ of }: { readonly of: string }) => (
  <a href={hashOf('sessions', of)} title={of}>
    session <SessionName of={of} />
  </a>
);
