import type { TimelineItem } from '../data/types.js';
import type { IconName } from '../view/icon.js';
import type { Tone } from '../view/small.js';
import { short } from './names.js';

/** One line of a session's story. */
export interface StoryLine {
  readonly sentence: string;
  /** Beside it, smaller. */
  readonly more?: string;
  readonly tone?: Tone;
  readonly icon?: IconName;
}

type Data = Readonly<Record<string, unknown>>;
const text = (value: unknown): string => (typeof value === 'string' ? value : '?');
const tool = (data: Data): string => `${text(data.server)}.${text(data.tool)}`;
const person = (ref: unknown): string => (typeof ref === 'string' ? `user ${short(ref)}` : 'somebody');

const endings: Readonly<Record<string, StoryLine>> = {
  ok: { sentence: 'The tool answered ok', tone: 'ok' },
  error: { sentence: 'The tool answered with an error', tone: 'bad' },
  'not-sent': { sentence: 'The call was not sent', tone: 'off' },
  cancelled: { sentence: 'The call was cancelled', tone: 'off' },
};

const verdicts: Readonly<Record<string, (by: string) => StoryLine>> = {
  approved: (by) => ({ sentence: `${by} approved; the approval was spent`, more: 'the first decision on the log stands', tone: 'ok' }),
  declined: (by) => ({ sentence: `${by} declined`, more: 'the call did not run and never will', tone: 'no' }),
  closed: (by) => ({ sentence: `${by} closed the request`, more: 'the call never ran and never will', tone: 'off' }),
  expired: () => ({ sentence: 'Nobody decided in time', more: 'the call did not run and never will', tone: 'off' }),
};

const sentences: Readonly<Record<string, (data: Data) => StoryLine>> = {
  'turn.claimed': (data) => ({
    sentence: `${text(data.hostId)} claimed the turn${data.resumes === undefined ? '' : ' to resume it'}`,
    ...(data.wait === true && { more: 'behind the one that runs' }),
  }),
  'turn.renewed': (data) => ({ sentence: `${text(data.hostId ?? 'The host')} is still there` }),
  'turn.stepped': (data) => ({ sentence: `The agent took step ${String(data.step)}`, more: 'what it said is kept encrypted' }),
  'turn.paused': () => ({ sentence: 'The turn paused; the caller was told that it waits', tone: 'acc' }),
  'turn.completed': ({ steps, toolCalls, usage }) => ({
    sentence: 'The agent answered',
    more: [plural(steps, 'step'), plural(toolCalls, 'tool call'), tokens(usage), 'kept encrypted']
      .filter((part) => part !== '')
      .join(' · '),
    tone: 'ok',
  }),
  'turn.failed': ({ errorCode, errorName }) => ({ sentence: 'The turn failed', more: text(errorCode ?? errorName), tone: 'bad' }),
  'turn.lapsed': ({ by }) => ({ sentence: 'The run’s host fell silent past its lease', more: `said by ${text(by)}`, tone: 'unk' }),
  'consent.minted': (data) => ({
    sentence: `The agent asked for ${tool(data)}; a person must decide`,
    more: data.rule === undefined ? 'by the tool’s own gate' : `by the rule ${text(data.rule)}`,
    tone: 'acc',
  }),
  'consent.voted': (data) => ({ sentence: `${capital(person(data.by))} voted ${data.approved === true ? 'yes' : 'no'}` }),
  'consent.spent': (data) => {
    const line = verdicts[text(data.verdict)]?.(capital(person(data.by))) ?? { sentence: `The request was settled: ${text(data.verdict)}` };
    return data.reason === undefined ? line : { ...line, more: `${line.more ?? ''} · ${text(data.reason)}` };
  },
  'gate.observed': (data) => ({ sentence: `A gate would have asked for ${tool(data)}`, more: 'it is only observed' }),
  'tool-call.dispatched': (data) => ({
    sentence: `${tool(data)} was sent${data.attempt === 1 ? '' : `, attempt ${String(data.attempt)}`}`,
    more: data.gated === true ? 'after its approval was spent, and this was seen to stand' : 'after this was seen to stand',
  }),
  'tool-call.attempted': (data) => ({
    sentence: `Try ${String(data.try)} was put off`,
    more: typeof data.httpStatus === 'number' ? `HTTP ${data.httpStatus}` : 'no answer',
  }),
  'tool-call.finished': ({ outcome, errorClass, durationMs }) => ({
    ...(endings[text(outcome)] ?? { sentence: `The call ended: ${text(outcome)}` }),
    more: [typeof durationMs === 'number' ? `${Math.round(durationMs)} ms` : '', errorClass === undefined ? '' : text(errorClass)]
      .filter((part) => part !== '')
      .join(' · '),
  }),
  'tool-call.reconciled': (data) => ({
    sentence: `${capital(person(data.by))} said that the call ${data.verdict === 'ran' ? 'ran' : 'did not run'}`,
    ...(data.why !== undefined && { more: text(data.why) }),
  }),
  'session.closed': (data) => ({ sentence: 'The session was closed', more: text(data.reason), tone: 'off' }),
  'session.erased': () => ({ sentence: 'What was said here was erased', more: 'its keys are gone', tone: 'off' }),
  'session.repaired': () => ({ sentence: 'An operator repaired the session', tone: 'no' }),
};

const capital = (words: string): string => words.slice(0, 1).toUpperCase() + words.slice(1);
const plural = (n: unknown, one: string): string => (typeof n === 'number' ? `${n} ${one}${n === 1 ? '' : 's'}` : '');

function tokens(usage: unknown): string {
  const { inputTokens, outputTokens } = Object(usage) as { inputTokens?: number; outputTokens?: number };
  return inputTokens === undefined || outputTokens === undefined ? '' : `${(inputTokens + outputTokens).toLocaleString('en')} tokens`;
}

/** Records that say nothing new to who reads a story: shown on demand. */
export const isQuiet = ({ type }: Pick<TimelineItem, 'type'>): boolean => type === 'turn.renewed' || type === 'turn.stepped';

export const lineOf = ({ type, data }: Pick<TimelineItem, 'type' | 'data'>): StoryLine =>
  data === undefined
    ? { sentence: 'A record that nobody can read', more: type ?? 'of no known type', tone: 'unk' }
    : (sentences[type ?? '']?.(data as Data) ?? { sentence: type ?? 'A fact' });

const reasons: Readonly<Record<string, string>> = {
  concurrent: 'another claim came first, so this host ran nothing.',
  'not-owner': 'the session belongs to somebody else.',
  spent: 'a decision stood already; it ran nothing.',
  voted: 'this person had voted.',
  closed: 'the session was closed.',
  'closed-session': 'the session was closed.',
  stale: 'the session had gone on.',
  duplicate: 'a copy of a record that is there already.',
};

/** Why an attempt does not stand. */
export const voidReasonOf = (reason: string | undefined): string =>
  reason === undefined ? 'another record came first.' : (reasons[reason] ?? `${reason}.`);

export interface Spans {
  readonly agent: number;
  readonly tools: number;
  readonly person: number;
  readonly parts: readonly { readonly of: 'agent' | 'tools' | 'person'; readonly ms: number }[];
}

/** Where a session's time went, as its standing records say: agent, tools, and waiting for a person. Time between turns is nobody's. */
export function spansOf(items: readonly TimelineItem[]): Spans {
  const sums = { agent: 0, tools: 0, person: 0 };
  const parts: { of: keyof typeof sums; ms: number }[] = [];
  let of: keyof typeof sums | undefined;
  let since = 0;
  let open = 0;
  for (const { type, at, verdict, data } of items) {
    if (verdict !== 'stands') continue;
    const time = Date.parse(at);
    if (of && time > since) {
      sums[of] += time - since;
      if (parts.at(-1)?.of === of) parts.at(-1)!.ms += time - since;
      else parts.push({ of, ms: time - since });
    }
    since = time;
    if (type === 'tool-call.dispatched') open++;
    if (type === 'tool-call.finished') open = Math.max(0, open - 1);
    const isOver = type === 'turn.completed' || type === 'turn.failed' || type === 'turn.lapsed' || type === 'session.closed';
    if (isOver) [of, open] = [undefined, 0];
    else if (type === 'turn.paused') of = 'person';
    else if (type === 'turn.claimed') of = (data as Data | undefined)?.wait === true ? of : 'agent';
    else if (of !== 'person') of = open > 0 ? 'tools' : 'agent';
  }
  return { ...sums, parts };
}
