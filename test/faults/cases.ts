import { brokerKill } from './broker-kill.js';
import { brokersAway } from './brokers-away.js';
import type { CaseReport, Say } from './case-report.js';
import { embeddedHost, hostOnKafka } from './census-kill-host.js';
import { censusKills } from './census-kill.js';
import { flood, withinBounds } from './flood.js';
import { lateBroker } from './late-broker.js';
import { systemEmbedded } from './system/system-embedded.js';
import { zombiesEmbedded } from './zombies/zombies-embedded.js';
import { zombiesOnKafka } from './zombies/zombies-on-kafka.js';

export type Where = 'embedded' | 'kafka';

export interface CaseOptions {
  readonly on: Where;
  readonly cycles: number;
  readonly seed: number;
  /** An empty folder. */
  readonly dir: string;
  readonly say: Say;
}

export interface SpecialCase {
  readonly about: string;
  /** On a cluster only, where it is absent. */
  readonly on?: readonly Where[];
  run(options: CaseOptions): Promise<CaseReport>;
}

/** What the random faults would meet too seldom, by name. */
export const cases: Readonly<Record<string, SpecialCase>> = {
  'brokers-away': { about: 'every broker hangs for 90 s under load', run: ({ say }) => brokersAway({ awayMs: 90_000, say }) },
  'late-broker': {
    about: 'hosts and projectors are started a minute before the brokers',
    run: ({ say }) => lateBroker({ awayMs: 60_000, say }),
  },
  'broker-kill': {
    about: 'silence of a tail, of appends and at the door when a broker is killed, three times, against kafkajs as it is',
    run: ({ say }) => brokerKill({ kills: 3, say }),
  },
  flood: {
    about: 'a thousand refusals a second for 30 s beside served turns (embedded)',
    on: ['embedded'],
    run: async ({ dir, say }) => withinBounds(await flood({ dir, seconds: 30, say })),
  },
  census: {
    about: 'kill -9 with 500 requests in flight, --cycles times, and the census after each (either log)',
    on: ['embedded', 'kafka'],
    run: async ({ on, dir, ...options }) => censusKills({ ...options, host: on === 'kafka' ? await hostOnKafka(3) : embeddedHost(dir) }),
  },
  system: {
    about: 'kill -9, full disks and clock jumps under a load of everything, --cycles times (embedded)',
    on: ['embedded'],
    run: systemEmbedded,
  },
  zombies: {
    about: 'hosts are stopped (kafka) or killed (embedded) while tool calls are on their way, --cycles times; none is received twice',
    on: ['embedded', 'kafka'],
    run: ({ on, ...options }) => (on === 'kafka' ? zombiesOnKafka : zombiesEmbedded)(options),
  },
};

export const mayRun = (name: string, on: Where): boolean => Object.hasOwn(cases, name) && (cases[name]!.on ?? ['kafka']).includes(on);
