import type { Violation } from '../history.js';
import type { SessionFold } from '../zombies/session-fold.js';
import type { Verdict } from '../zombies/found-on-log.js';
import type { Heard } from './heard.js';

/** What anybody may hear while hosts and brokers are stopped and killed: nothing was said of the request. */
const untold = new Set([
  '0',
  // A host that was stopped finds that the request took too long to come in.
  '408',
  // The ledger of an approver's host may be behind the answer that told of the request.
  '404 ERR_NOT_FOUND',
  '409 ERR_CONCURRENT_RUN',
  '409 ERR_TURN_ABANDONED',
  '503 ERR_LOG_UNAVAILABLE',
  '503 ERR_LEDGER_BEHIND',
  '503 ERR_HOST_CLOSED',
  '503 ERR_IDENTITY_VERIFIER_UNAVAILABLE',
]);

const reasonOf: Readonly<Record<Verdict, string>> = {
  approved: 'already-answered',
  declined: 'already-answered',
  closed: 'closed-by-host',
  expired: 'expired',
};

/**
 * N12, N13, N32: whoever's decision stands is told so, again and again; everybody else is told by what standing record they lost; nobody
 * is told of an approval, a decline or a close that does not stand.
 */
export function judgeAnswers(heard: readonly Heard[], { requests, runs }: Pick<SessionFold, 'requests' | 'runs'>): Violation[] {
  const resumed = new Set([...runs.values()].map(({ resumes }) => resumes));
  // One mistake is made again and again: it is told once, with the first of its requests.
  const mistakes = new Map<string, { readonly first: string; times: number }>();
  for (const one of heard) {
    const what = untold.has(one.answer) ? undefined : wrongAnswer(one, requests.get(one.requestId)?.spent, resumed.has(one.requestId));
    if (what === undefined) continue;
    const mistake = mistakes.get(`${one.way}: ${what}`);
    if (mistake) mistake.times++;
    else mistakes.set(`${one.way}: ${what}`, { first: one.requestId.slice(0, 12), times: 1 });
  }
  return [...mistakes].map(([what, { first, times }]) => ({ rule: 'N12', what: `${what} (${times} times, first of ${first})` }));
}

/** What the retry of a turn that is over is told of it. */
const endedBefore = new Set(['500 failed before', '503 failed before']);

type Spent = { readonly verdict: Verdict; readonly by?: string } | undefined;

function wrongAnswer(one: Heard, spent: Spent, wasResumed: boolean): string | undefined {
  const { answer, reason, verdict, way } = one;
  const wanted = way === 'close' ? 'closed' : one.approved ? 'approved' : 'declined';
  const told = verdict === undefined ? answer : `${answer} (${verdict})`;
  const standing = spent ? `${spent.verdict} stands` : 'nothing stands';
  // A closed request is closed, whoever closed it.
  const isWinner = spent?.verdict === wanted && (way === 'close' || spent.by === one.by);
  // The winner's own retry is told what became of the turn: that its host was lost, for one.
  if (endedBefore.has(answer) && way === 'invoke') return isWinner ? undefined : `${told}, and ${standing}, not by them`;
  // N13: a run that was resumed and finds its request withdrawn goes on with that, and the one who resumed it hears how it ended.
  const isWithdrawn = way === 'invoke' && wasResumed && (spent?.verdict === 'closed' || spent?.verdict === 'expired');
  if (answer === '200' && isWithdrawn) return undefined;
  if (answer === '200') return isWinner && (verdict ?? wanted) === wanted ? undefined : `${told}, and ${standing}, not by them`;
  if (answer !== '409 ERR_RESUME_REFUSED') return `${told}, and ${standing}`;
  if (isWinner) return `the winner was refused (${reason ?? 'no reason'}), and ${standing}`;
  return spent && reason === reasonOf[spent.verdict] ? undefined : `refused by ${reason ?? 'no reason'}, and ${standing}`;
}
