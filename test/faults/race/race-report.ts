import type { CaseReport } from '../case-report.js';
import type { Violation } from '../history.js';
import { figuresOf } from '../zombies/figures.js';
import { judgeCalls, type CallEvidence } from '../zombies/judgement.js';
import { judgeAnswers } from './judge-answers.js';
import { becameOf, judgeConsents, type ConsentEvidence } from './judge-consents.js';
import type { RaceLoad } from './race-load.js';

/** Everything a race is judged by. */
export type RaceEvidence = CallEvidence & ConsentEvidence;

/** The judgement of a whole race: calls, consents, and what everybody was told. */
export function raceReport(evidence: RaceEvidence, load: RaceLoad, more: Readonly<Record<string, number>>): CaseReport {
  const { fold } = evidence;
  const violations: Violation[] = [
    ...load.violations,
    ...judgeCalls(evidence),
    ...judgeConsents(evidence),
    ...judgeAnswers(load.heard, fold),
  ];
  const figures: Record<string, number> = { ...more, asked: load.asked, requests: fold.requests.size, decisions: load.heard.length };
  for (const request of fold.requests.values()) {
    const name = `requests: ${becameOf(request, fold)}`;
    figures[name] = (figures[name] ?? 0) + 1;
  }
  return {
    figures: { ...figures, 'requests that nobody was told of': load.unsettled, ...figuresOf(evidence) },
    answers: load.answers,
    violations,
  };
}
