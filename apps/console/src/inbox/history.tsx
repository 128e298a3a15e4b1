import type { ConsentDetail } from '../data/types.js';
import { hashOf } from '../route.js';
import { Person, Place, Time } from '../view/small.js';
import { short } from '../words/names.js';

const why: Readonly<Record<string, string>> = {
  voted: 'this person had voted',
  spent: 'another decision stood already',
};

/** Everything that was tried on a request, what stands and what is void. */
export function History({ detail, me }: { readonly detail: ConsentDetail; readonly me: string | undefined }) {
  const { attempts, mintedAt, party, replaces } = detail;
  return (
    <section aria-labelledby="history-title">
      <h2 id="history-title">History</h2>
      <ol class="history">
        {mintedAt !== undefined && (
          <li>
            <Time iso={mintedAt} />
            <span>
              Asked for <Person of={party} me={me} session={detail.sessionRef} />
              {replaces !== undefined && (
                <>
                  , in place of <a href={hashOf('inbox', replaces)}>request {short(replaces)}</a>
                </>
              )}
              .
            </span>
          </li>
        )}
        {attempts.map(({ kind, verdict, by, stands, voidReason, at, partition, offset }) => (
          <li key={`${partition}:${offset}`} class={stands ? undefined : 'void'}>
            <Time iso={at} />
            <span>
              <span class="said">
                {by === undefined ? 'Somebody' : <Person of={by} me={me} />} {kind === 'voted' ? 'voted' : 'decided'}:{' '}
                {verdict ?? 'nobody can read it'}.
              </span>
              {!stands && (
                <small>Void: {(voidReason && why[voidReason]) ?? voidReason ?? 'it came later'}. It ran nothing and stays visible.</small>
              )}
            </span>
            <Place of={`doorledger.session.v1:${partition}:${offset}`} />
          </li>
        ))}
      </ol>
    </section>
  );
}
