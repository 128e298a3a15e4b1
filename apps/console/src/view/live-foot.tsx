import { feedState, lastNote, type FeedState } from '../data/feed.js';
import { useStore } from '../data/store.js';
import { Place, Time } from './small.js';

const words: Readonly<Record<FeedState, string>> = {
  starting: 'Connecting',
  live: 'Live',
  polling: 'Asks every few seconds',
  away: 'The server does not answer',
};

/** How fresh the page is: how facts come, and the last one that did. */
export function LiveFoot() {
  const state = useStore(feedState);
  const note = useStore(lastNote);
  return (
    <div>
      <p class="live" data-state={state}>
        <i aria-hidden="true" />
        <span role="status">{words[state]}</span>
      </p>
      {note && (
        <p>
          last fact <Time iso={note.at} withZone />
          <br />
          <Place of={note.position} />
        </p>
      )}
    </div>
  );
}
