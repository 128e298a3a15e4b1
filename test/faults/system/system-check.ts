import { topics } from '@doorledger/contracts';
import type { StoredRecord } from '@doorledger/event-log';
import type { LifeCheck } from '@doorledger/ledger';
import { judgeLife } from '../census-kill.js';
import type { Violation } from '../history.js';
import type { Received } from '../judge-server-process.js';
import { PlacesOnLog } from '../places-on-log.js';
import { judgeAnswers } from '../race/judge-answers.js';
import { becameOf, judgeConsents } from '../race/judge-consents.js';
import type { Heard } from '../race/heard.js';
import type { DumpedRecord } from '../second-reader.js';
import { neverReceived } from '../zombies/call-load.js';
import { figuresOf } from '../zombies/figures.js';
import type { LoggedRecord, RecordData } from '../zombies/found-on-log.js';
import { judgeCalls, type Pause } from '../zombies/judgement.js';
import { SessionFold } from '../zombies/session-fold.js';
import { Statements } from './statements.js';
import type { SystemLedger } from './system-ledger.js';
import { ToolSessionsFound, type ToolSessionRecord } from './tool-sessions-found.js';

/** What is known from outside the log: what the ledger says, what the tool server received and what everybody heard. */
export interface SystemEvidence {
  readonly ledger: SystemLedger;
  readonly census: readonly LifeCheck[];
  readonly received: readonly Received[];
  readonly heard: readonly Heard[];
  /** Ids of which somebody was told that the tool noted them. */
  readonly noted: ReadonlySet<string>;
  readonly pauses: readonly Pause[];
}

type TextRecord = Omit<DumpedRecord, 'topic'> & { readonly topic: string };

/** Sees a whole log as another reader gives it, each partition's records in offset order, and judges it by the rules alone. */
export class SystemCheck {
  readonly fold = new SessionFold();
  readonly #statements = new Statements();
  readonly #toolSessions = new ToolSessionsFound();
  readonly #places = new PlacesOnLog();

  constructor(private readonly evidence: SystemEvidence) {}

  see({ topic, headers, value, ...place }: TextRecord): void {
    const type = headers.ce_type!;
    const id = headers.ce_id!;
    if (topic === topics.session.name) {
      const record: LoggedRecord = { ...place, type, data: dataIn<RecordData>(value) };
      this.fold.see(record);
      this.#statements.see({ ...record, stands: this.evidence.ledger.standing.has(`${place.partition}/${place.offset}`) });
    } else if (topic === topics.toolSession.name) this.#toolSessions.see({ id, type, data: dataIn<ToolSessionRecord['data']>(value) });
    else if (topic === topics.ingress.name || topic === topics.system.name)
      this.#places.see({ decoded: { id, type, subject: headers.ce_subject, body: JSON.parse(value) as StoredRecord['decoded']['body'] } });
  }

  judge(): Violation[] {
    const { fold, evidence } = this;
    const { received, heard, noted, ledger } = evidence;
    return [
      ...this.#statements.judge(fold),
      ...judgeCalls(this.#calls()),
      ...judgeConsents({ fold, received: received.filter(({ tool }) => tool === GATED), ledgerConsents: ledger.ledgerConsents }),
      ...judgeAnswers(heard, fold),
      ...neverReceived(noted, received),
      ...this.#toolSessions.judge(ledger.closeReasons),
      ...this.#judgeCensus(),
    ];
  }

  /** How much of everything there was. */
  figures(): Record<string, number> {
    const figures: Record<string, number> = { requests: this.fold.requests.size, ...figuresOf(this.#calls()) };
    for (const request of this.fold.requests.values()) {
      const name = `requests: ${becameOf(request, this.fold)}`;
      figures[name] = (figures[name] ?? 0) + 1;
    }
    const lives = this.#places.lives();
    figures['lives of hosts'] = lives.length;
    figures['requests that nothing tells of'] = lives.reduce((sum, { missing }) => sum + missing.length, 0);
    return figures;
  }

  #calls = () => {
    const { received, pauses, ledger } = this.evidence;
    return { fold: this.fold, received, pauses, ledgerCalls: ledger.ledgerCalls };
  };

  /** E12: each life on the log is in the census, with each of its gaps. */
  #judgeCensus(): Violation[] {
    const checks = new Map(this.evidence.census.map((check) => [check.bootId, check]));
    const lives = new Map(this.#places.lives().map((life) => [life.bootId, life]));
    const untold = [...lives.keys()].filter((bootId) => !checks.has(bootId));
    return [
      ...untold.map((bootId) => ({ rule: 'E12', what: `boot ${bootId} is on the log and not in the census` })),
      ...[...checks.values()].flatMap((check) => judgeLife(check, lives.get(check.bootId))),
    ];
  }
}

/** The one tool that asks first. */
const GATED = 'pay';

const dataIn = <T>(value: string): T => (JSON.parse(value) as { data: T }).data;
