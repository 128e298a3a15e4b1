import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { now } from '../data/http.js';
import { hashOf } from '../route.js';
import { ends, place, short } from '../words/names.js';
import { ago, clock, left, moment, zone } from '../words/time.js';
import { announce } from './announcer.js';
import { Icon, type IconName } from './icon.js';
import { Shown } from './shown.js';

export type Tone = 'ok' | 'no' | 'bad' | 'unk' | 'off' | 'acc';

/** An icon and the word for it. */
export const Chip = ({ icon, tone, children }: { readonly icon: IconName; readonly tone: Tone; readonly children: ComponentChildren }) => (
  <span class={`chip ${tone}`}>
    <Icon name={icon} small />
    {children}
  </span>
);

/** The next page of a list, where there is one. */
export const More = ({ of }: { readonly of: { readonly hasMore: boolean; readonly more: () => void } }) =>
  of.hasMore ? (
    <button type="button" class="button more" onClick={of.more}>
      Show more
    </button>
  ) : null;

/** Renders anew every second, or as often as is asked. */
export function useTick(everyMs = 1000): number {
  const [at, set] = useState(now);
  useEffect(() => {
    const timer = setInterval(() => set(now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return at;
}

/** A time, with its day where it is not today, and whole with its zone in the title. */
export function Time({ iso, withZone = false }: { readonly iso: string; readonly withZone?: boolean }) {
  const at = Date.parse(iso);
  return (
    <time dateTime={iso} title={`${iso} (${moment(at, 0)} ${zone(at)})`}>
      {moment(at, now())}
      {withZone && ` ${zone(at)}`}
    </time>
  );
}

export function Ago({ iso }: { readonly iso: string }) {
  const at = useTick(5000);
  return (
    <time dateTime={iso} title={iso}>
      {ago(Date.parse(iso), at)}
    </time>
  );
}

/** Below this an end is near. */
const NEAR_MS = 60_000;

/** What is left of a time, with a bar that drains, and when it ends. */
export function Countdown({
  label,
  from,
  until,
}: {
  readonly label: string;
  readonly from?: string | undefined;
  readonly until?: string | undefined;
}) {
  const at = useTick();
  if (until === undefined)
    return (
      <div class="clock">
        <div class="label">{label}</div>
        <div class="value none">no limit</div>
      </div>
    );
  const end = Date.parse(until);
  const begin = from === undefined ? end : Date.parse(from);
  const rest = Math.max(0, end - at);
  const isNear = rest < NEAR_MS;
  return (
    <div class="clock" role="timer" aria-label={`${label}: ${rest === 0 ? 'over' : left(rest)} left, until ${clock(end)}`}>
      <div class="label">{label}</div>
      <div class={isNear && rest > 0 ? 'value no' : 'value'}>{rest === 0 ? 'over' : left(rest)}</div>
      <progress class={isNear ? 'drain near' : 'drain'} max={1} value={end > begin ? rest / (end - begin) : 0} aria-hidden="true" />
      <div class="label">
        until <Time iso={until} withZone />
      </div>
    </div>
  );
}

export function Left({ until }: { readonly until?: string | undefined }) {
  const at = useTick();
  if (until === undefined) return <span class="left off">no limit</span>;
  const rest = Date.parse(until) - at;
  return <span class={rest < NEAR_MS && rest > 0 ? 'left no' : 'left'}>{rest <= 0 ? 'over' : left(rest)}</span>;
}

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    announce('Copied.');
  } catch {
    announce('The browser did not let this be copied.');
  }
}

export const CopyButton = ({
  text,
  children,
  quiet = false,
}: {
  readonly text: () => string;
  readonly children: ComponentChildren;
  readonly quiet?: boolean;
}) => (
  <button type="button" class={quiet ? 'mono plain' : 'button small'} onClick={() => void copy(text())}>
    {children}
  </button>
);

/** What to type into a shell. */
export const Command = ({ text }: { readonly text: string }) => (
  <p class="command">
    <code>{text}</code> <CopyButton text={() => text}>Copy</CopyButton>
  </p>
);

/** A digest by its ends; pressing it copies the whole. */
export const Digest = ({ of, label = 'digest' }: { readonly of: string; readonly label?: string }) => (
  <button
    type="button"
    class="mono plain"
    title={`${of}: press to copy`}
    aria-label={`Copy the ${label} ${ends(of)}`}
    onClick={() => void copy(of)}
  >
    {ends(of)}
  </button>
);

/** `session`: a caller whom nobody checked is known by it alone. `name`: what they are called, for who may see it (O8). */
export const Person = ({
  of,
  me,
  session,
  name,
}: {
  readonly of?: string | undefined;
  readonly me?: string | undefined;
  readonly session?: string | undefined;
  readonly name?: string | undefined;
}) =>
  of === undefined ? (
    <>somebody</>
  ) : of === session ? (
    <>an unchecked caller</>
  ) : of === me ? (
    <>you</>
  ) : (
    <a href={hashOf('sessions', undefined, { find: of })} title={`Sessions of ${of}`}>
      {name === undefined ? (
        <>
          user <span class="mono">{short(of)}</span>
        </>
      ) : (
        <>
          <Shown text={name} /> <span class="mono">{short(of)}</span>
        </>
      )}
    </a>
  );

/** A place on the log. */
export const Place = ({ of }: { readonly of: string }) => (
  <span class="mono place" title={of}>
    {place(of)}
  </span>
);

export const AsOf = ({ at }: { readonly at?: number | undefined }) =>
  at === undefined ? null : (
    <span class="asof">
      as of <Time iso={new Date(at).toISOString()} withZone />
    </span>
  );
