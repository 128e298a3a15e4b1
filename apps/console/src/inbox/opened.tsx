import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { useDraft } from '../data/drafts.js';
import { me } from '../data/me.js';
import { useStore } from '../data/store.js';
import type { ConsentDetail, Page, ToolCallItem } from '../data/types.js';
import { useAnswer } from '../data/use-answer.js';
import { announce } from '../view/announcer.js';
import { Person } from '../view/small.js';
import { Loading, Problem } from '../view/states.js';
import { askerOf, toolName } from '../words/names.js';
import { isOver } from '../words/outcome.js';
import { GivenGrant } from '../grants/given.js';
import { GrantDraftForm } from '../grants/draft.js';
import { useGrantDraft } from '../grants/use-grant-draft.js';
import { ActionBar } from './action-bar.js';
import { Arguments } from './arguments.js';
import type { Deed, Said } from './decide.js';
import { Editor } from './editor.js';
import { History } from './history.js';
import { OpenedHead } from './opened-head.js';
import { Progress } from './progress.js';
import { Reconcile } from './reconcile.js';
import { useCall } from './use-call.js';

const past: Readonly<Record<Deed, string>> = {
  approve: 'approval',
  allow: 'approval',
  change: 'approval',
  decline: 'decline',
  close: 'close',
};

/** One request: who asks to do what, until when, with which arguments, and what became of it. */
export function Opened({
  requestId,
  onReplaced,
  list,
}: {
  readonly requestId: string;
  readonly onReplaced: (requestId: string) => void;
  readonly list: string;
}) {
  const who = useStore(me);
  const [end, setEnd] = useState(false);
  const answer = useAnswer<ConsentDetail>(`/v1/consents/${requestId}`, {
    on: ['consent.', 'turn.', 'tool-call.'],
    everyMs: end ? 30_000 : 1500,
  });
  const { call, previous, problem, again } = useCall(requestId);
  const [said, setSaid] = useState<{ readonly said: Said; readonly deed: Deed }>();
  const [deed, setDeed] = useState<Deed>();
  const [draft, setDraft] = useDraft(`args:${requestId}`);
  const { grant, given, setGiven } = useGrantDraft(requestId, call?.text);
  const title = useRef<HTMLHeadingElement>(null);
  const detail = answer.data;
  const calls = useAnswer<Page<ToolCallItem>>(
    detail?.state === 'approved' && detail.turnId !== undefined ? `/v1/tool-calls?turn=${detail.turnId}&limit=100` : undefined,
    { on: ['tool-call.'], everyMs: end ? 30_000 : 1500 },
  );
  const ran = calls.data?.items.find((one) => one.requestId === requestId);
  const unknown = useRef<ToolCallItem | undefined>(undefined);
  if (ran?.status === 'outcome-unknown') unknown.current = ran;
  useEffect(() => setEnd(detail !== undefined && isOver(detail)), [detail]);
  useEffect(() => title.current?.focus({ preventScroll: true }), [requestId]);
  const onSaid = useCallback(
    (next: Said, deed: Deed) => {
      setSaid({ said: next, deed });
      setDeed(undefined);
      if (next.kind === 'stands') announce(`Your ${past[deed]} stands.`);
      if (next.kind === 'voted') announce(`Your vote stands: ${next.have} of ${next.need}.`);
      if (next.kind === 'late') announce('Somebody else was first.');
      if (deed === 'change') setDraft('');
      if (next.kind === 'stands' && next.requestId !== requestId) onReplaced(next.requestId);
      answer.again();
    },
    [answer.again, requestId, onReplaced, setDraft],
  );
  const tool = toolName(detail ?? call ?? {});
  if (!detail && !call && answer.problem) return <Problem of={answer.problem} what="This request cannot be shown." again={answer.again} />;
  if (!detail && !call) return <Loading what="The request" />;
  const isPending = (detail?.state ?? 'pending') === 'pending';
  const isWaiting = isPending && said?.said.kind !== 'late';
  const person = <Person of={detail?.party} me={who?.userRef} session={detail?.sessionRef} name={askerOf(call)} />;
  const edited = draft === '' ? (call?.text ?? '') : draft;
  return (
    <article class="opened" aria-labelledby="opened-title">
      <div class="body">
        <OpenedHead detail={detail} call={call} tool={tool} person={person} list={list} title={title} />
        {deed === 'allow' && grant && !given && (
          <GrantDraftForm tool={tool} person={person} args={grant.args} draft={grant.draft} change={grant.change} />
        )}
        {deed === 'change' && call ? (
          <Editor original={call.text} edited={edited} change={setDraft} />
        ) : call ? (
          <Arguments text={call.text} digest={call.digest} previous={previous} />
        ) : problem ? (
          <section>
            <h2>Exact arguments</h2>
            {problem.status === 404 || problem.status === 403 ? (
              <p class="quiet">
                {detail?.state === 'pending'
                  ? 'They are shown to the one who asks and to who may decide; you are neither.'
                  : 'They are kept encrypted, and shown while a call waits.'}
              </p>
            ) : (
              <Problem of={problem} what="The arguments cannot be shown." again={again} />
            )}
          </section>
        ) : (
          <Loading what="The arguments" />
        )}
        {detail && <History detail={detail} me={who?.userRef} />}
      </div>
      {isWaiting && said?.said.kind !== 'stands' ? (
        <>
          {said?.said.kind === 'voted' && (
            <p class="voted" role="status">
              Your vote stands: {said.said.have} of {said.said.need}. The call waits for the others.
            </p>
          )}
          <ActionBar
            key={requestId}
            requestId={requestId}
            tool={tool}
            person={person}
            digest={call?.digest}
            args={call?.text}
            edited={edited}
            grant={detail?.votes ? undefined : grant}
            given={given}
            onGiven={setGiven}
            onDeed={setDeed}
            onSaid={onSaid}
          />
        </>
      ) : (
        <div class="actions" role="status" aria-live="polite">
          {given && <GivenGrant given={given} />}
          {said?.said.kind === 'late' && <Late deed={said.deed} standing={said.said.standing} />}
          {detail && detail.state !== 'pending' ? (
            <>
              <Progress detail={detail} call={ran} me={who?.userRef} />
              {unknown.current && <Reconcile call={unknown.current} isOpen={ran?.status === 'outcome-unknown'} onSaid={answer.again} />}
            </>
          ) : (
            said?.said.kind === 'stands' && (
              <p>
                Your {past[said.deed]} stands: {said.said.verdict}. The ledger reads it now.
              </p>
            )
          )}
        </div>
      )}
    </article>
  );
}

/** Losing a race is no error. */
const Late = ({ deed, standing }: { readonly deed: Deed; readonly standing: string }) => (
  <p class="late">
    <b>Somebody was first: {standing}.</b> Your {past[deed]} is void: it ran nothing.
  </p>
);
