import { useEffect, useRef, useState } from 'preact/hooks';
import { useDraft } from '../data/drafts.js';
import { ask } from '../data/http.js';
import { me } from '../data/me.js';
import { useStore } from '../data/store.js';
import type { Freeze } from '../data/types.js';
import { useAnswer } from '../data/use-answer.js';
import { useDeed } from '../data/use-deed.js';
import { announce } from '../view/announcer.js';
import { Field } from '../view/field.js';
import { Icon } from '../view/icon.js';
import { useKeys } from '../view/keys.js';
import { Shown } from '../view/shown.js';
import { Person, Time } from '../view/small.js';
import { Problem } from '../view/states.js';
import { TwoPress } from '../view/two-press.js';
import { short } from '../words/names.js';

const KINDS = ['tool', 'server', 'tenant', 'user', 'everything'] as const;
type Kind = (typeof KINDS)[number];

const hints: Readonly<Record<Kind, string>> = {
  tool: 'server.tool',
  server: 'a tool server’s name',
  tenant: 'a tenant’s name',
  user: 'the 32 digits of a user’s reference',
  everything: 'type everything',
};

const nameOf = ({ kind, name }: Freeze['target']): string =>
  name === undefined ? kind : `${kind} ${kind === 'user' || kind === 'tenant' ? short(name) : name}`;

/** What is stopped, and the switch (P6). */
export function Freezes() {
  const freezes = useAnswer<{ readonly items: readonly Freeze[] }>('/v1/freezes', { on: ['freeze.'], everyMs: 5000, takesAt: false });
  return (
    <section aria-labelledby="freeze-title">
      <header class="head">
        <h2 id="freeze-title">Freeze</h2>
        <span class="quiet">stops tool calls at the last moment before they are sent; every host obeys within a second</span>
      </header>
      {freezes.problem && <Problem of={freezes.problem} what="What is frozen cannot be shown." again={freezes.again} />}
      <ul class="freezes">
        {freezes.data?.items.map((freeze) => (
          <Frozen key={freeze.freezeId} freeze={freeze} onLifted={freezes.again} />
        ))}
      </ul>
      <FreezeForm onFrozen={freezes.again} />
    </section>
  );
}

function Frozen({ freeze, onLifted }: { readonly freeze: Freeze; readonly onLifted: () => void }) {
  const who = useStore(me);
  const { isSending, problem, act } = useDeed();
  const lift = () =>
    act(async () => {
      await ask(`/v1/freezes/${freeze.freezeId}`, { method: 'DELETE' });
      announce(`${nameOf(freeze.target)} goes on.`);
      onLifted();
    });
  return (
    <li>
      <Icon name="stop" />
      <div>
        <b>
          <Shown text={nameOf(freeze.target)} /> is frozen
        </b>{' '}
        since <Time iso={freeze.setAt} withZone /> by <Person of={freeze.by} me={who?.userRef} />: <Shown text={freeze.why} />
        {problem && <Problem of={problem} what="It is still frozen." />}
      </div>
      <TwoPress first="Lift…" second="Lift: it goes on" isSending={isSending} act={lift} />
    </li>
  );
}

function FreezeForm({ onFrozen }: { readonly onFrozen: () => void }) {
  const [kind, setKind] = useState<Kind>('server');
  const [name, setName] = useDraft('freeze-name');
  const [why, setWhy] = useDraft('freeze-why');
  const [isAsking, setAsking] = useState(false);
  const { isSending, problem, act } = useDeed();
  const confirm = useRef<HTMLButtonElement>(null);
  const isNamed = kind === 'everything' ? name.trim() === 'everything' : name.trim() !== '';
  const isReady = isNamed && why.trim() !== '';
  const target = kind === 'everything' ? 'everything' : `${kind} ${name.trim()}`;
  useEffect(() => {
    if (isAsking) confirm.current?.focus();
  }, [isAsking]);
  useKeys(isAsking && !isSending ? { Escape: () => setAsking(false) } : {});
  const send = (event: Event) => {
    event.preventDefault();
    if (!isReady || isSending) return;
    if (!isAsking) return setAsking(true);
    const body = JSON.stringify({ target: { kind, ...(kind !== 'everything' && { name: name.trim() }) }, why: why.trim() });
    act(async () => {
      await ask('/v1/freezes', { method: 'POST', body });
      setAsking(false);
      setName('');
      setWhy('');
      announce(`${target} is frozen.`);
      onFrozen();
    });
  };
  return (
    <form class="freeze" onSubmit={send}>
      {!isAsking ? (
        <>
          <label class="field">
            <span class="label">What</span>
            <select class="input" value={kind} onChange={({ currentTarget }) => setKind(currentTarget.value as Kind)}>
              {KINDS.map((one) => (
                <option key={one} value={one}>
                  {one}
                </option>
              ))}
            </select>
          </label>
          <Field label="Which" value={name} change={setName} hint={hints[kind]} />
          <Field
            label="Why? It stays on the log for ever: no secrets"
            value={why}
            change={setWhy}
            hint="Everybody who is stopped reads this"
            maxLength={1000}
          />
          <button type="submit" class="button" disabled={!isReady}>
            Freeze…
          </button>
        </>
      ) : (
        <div class="confirm">
          <ul>
            <li>
              <b>Stops</b> every call of <Shown text={target} /> that is not sent yet, on every host.
            </li>
            <li>
              <b>Holds</b> approvals: they are kept, and can be used when the freeze is lifted in time.
            </li>
            <li>
              <b>Does not stop</b> calls that were sent already, nor messages to the agent.
            </li>
          </ul>
          {problem && <Problem of={problem} what={`${target} is not frozen.`} />}
          <div class="buttons">
            <button ref={confirm} type="submit" class="button primary" disabled={isSending}>
              {isSending ? 'Sending…' : `Freeze ${target}`}
            </button>
            <button type="button" class="button quiet" disabled={isSending} onClick={() => setAsking(false)}>
              Back
            </button>
          </div>
        </div>
      )}
    </form>
  );
}
