import { brokerKill } from './broker-kill.js';
import { brokersAway } from './brokers-away.js';
import type { CaseReport, Say } from './case-report.js';
import { lateBroker } from './late-broker.js';

export interface SpecialCase {
  readonly about: string;
  run(say: Say): Promise<CaseReport>;
}

/** What the random faults would meet too seldom, by name. */
export const cases: Readonly<Record<string, SpecialCase>> = {
  'brokers-away': { about: 'every broker hangs for 90 s under load', run: (say) => brokersAway({ awayMs: 90_000, say }) },
  'late-broker': {
    about: 'hosts and projectors are started a minute before the brokers',
    run: (say) => lateBroker({ awayMs: 60_000, say }),
  },
  'broker-kill': {
    about: 'silence of a tail and of appends when a broker is killed, three times',
    run: (say) => brokerKill({ kills: 3, say }),
  },
};
