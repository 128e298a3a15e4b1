import type { CensusCheck } from '@doorledger/ledger';
import { keyServer } from '../../libs/access/src/identity/testing/key-server.js';
import { signed, signingKey, type SigningKey } from '../../libs/access/src/identity/testing/signing.js';
import type { Violation } from '../faults/history.js';
import { seeded } from '../faults/seeded.js';
import { serve, type Served } from '../faults/served-process.js';
import { lane, type LaneReport } from './lane.js';
import { Judge } from './judge.js';
import { Memory } from './memory.js';
import { chanceOf } from './oddities.js';

export interface FuzzOptions {
  /** An empty folder. */
  readonly dir: string;
  /** Requests and frames together. */
  readonly requests: number;
  readonly seed: number;
  /** No request begins after so many ms. */
  readonly maxMs?: number;
  readonly say?: (line: string) => void;
}

export interface FuzzReport {
  readonly requests: number;
  readonly seed: number;
  readonly seconds: number;
  readonly answers: Readonly<Record<string, number>>;
  /** Failures whose reference was found in the log lines. */
  readonly references: number;
  readonly memoryMb: { readonly start: number; readonly most: number; readonly end: number };
  readonly census: object;
  readonly violations: readonly Violation[];
}

const LANES = 16;
const ISSUER = 'https://issuer.example';
const SAY_EVERY = 20_000;

/** Odd requests and frames, the same for the same seed, at a host of its own that judges who asks; then its census has to add up. */
export async function fuzz({ dir, requests, seed, maxMs = Infinity, say = () => {} }: FuzzOptions): Promise<FuzzReport> {
  const [keys, key] = await Promise.all([keyServer(), signingKey('ES256', 'one')]);
  keys.answer = { keys: [key.publicJwk] };
  const settings = {
    DOORLEDGER_OIDC_ISSUER: ISSUER,
    DOORLEDGER_OIDC_AUDIENCES: 'doors',
    DOORLEDGER_OIDC_JWKS_URI: keys.url,
    DOORLEDGER_OIDC_ROLES_CLAIM: 'roles',
    DOORLEDGER_IDENTITY_ALLOW_ANONYMOUS: 'true',
    DOORLEDGER_DOOR_AGENTCORE: 'true',
    DOORLEDGER_DOOR_COOKIE: 'true',
  };
  const served = await serve(dir, settings);
  try {
    const tokens = await tokensOf(key);
    const judge = new Judge();
    const memory = new Memory(served);
    const startedAt = performance.now();
    let left = requests;
    const next = () => {
      if (left <= 0 || performance.now() - startedAt > maxMs) return false;
      if (--left % 2000 === 0) memory.look();
      if ((requests - left) % SAY_EVERY === 0)
        say(`${requests - left} requests, ${memory.told.end} MB, ${judge.violations.length} violations`);
      return true;
    };
    const port = Number(new URL(served.url).port);
    const lanes = Array.from({ length: LANES }, (_, i) =>
      lane({ port, chance: chanceOf(seeded(seed * LANES + i)), tokens, next, judge, name: i }),
    );
    const reports = await Promise.all(lanes);
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    memory.look();
    const ending = await endOf(served, dir, settings, tokens[0]!);
    judge.logLines(served.words());
    return {
      requests: requests - left,
      seed,
      seconds,
      answers: judge.answers,
      references: judge.references.length,
      memoryMb: memory.told,
      census: ending.census,
      violations: [...judge.violations, ...memory.violations, ...ending.violations, ...unplaced(reports, ending.issued)],
    };
  } finally {
    await served.kill();
    await keys.close();
  }
}

/** Good ones of several people, the first an auditor's, and bad ones of each kind. */
function tokensOf(key: SigningKey): Promise<string[]> {
  const now = Math.floor(Date.now() / 1000);
  const of = (claims: object) => signed(key, { iss: ISSUER, aud: 'doors', exp: now + 7200, ...claims });
  const good = ['eve', 'ann', 'bob', 'cem'].map((sub, i) => of({ sub, roles: i === 0 ? ['auditor'] : [] }));
  const bad = [{ exp: now - 600 }, { nbf: now + 9000 }, { aud: 'elsewhere' }, { iss: 'https://elsewhere.example' }, { sub: '' }].map(of);
  return Promise.all([...good, ...good, ...bad, Promise.resolve('x.y.z')]);
}

/** Ends the process in good order, and reads on the next start what its census came to. */
async function endOf(served: Served, dir: string, settings: Record<string, string>, auditor: string) {
  const violations: Violation[] = [];
  const ready = await fetch(`${served.url}/ready`).catch(() => undefined);
  if (ready?.status !== 200) violations.push({ rule: 'D2', what: `after all of it /ready said ${ready?.status ?? 'nothing'}` });
  const code = await served.stop();
  if (code !== 0) violations.push({ rule: 'D20', what: `the process ended with ${code}` });
  const next = await serve(dir, settings);
  const answer = await fetch(`${next.url}/v1/census/check`, { headers: { authorization: `Bearer ${auditor}` } });
  const { items } = (await answer.json()) as CensusCheck;
  await next.stop();
  const { state, issued, recorded, counted, pending, unknown, doubled, addsUp } = items.find(({ issued: places }) => places > 0)!;
  const census = { state, issued, recorded, counted, pending, unknown, doubled, addsUp };
  if (!(addsUp && state === 'stopped' && issued === recorded + counted && pending + unknown + doubled === 0))
    violations.push({ rule: 'E12', what: `the census does not add up: ${JSON.stringify(census)}` });
  return { violations, census, issued };
}

/** E4, E12: as many places as requests that have one, where that is certain. */
function unplaced(reports: readonly LaneReport[], issued: number): Violation[] {
  const least = reports.reduce((sum, { placed }) => sum + placed, 0);
  const most = reports.reduce((sum, { placed, unsure }) => sum + placed + unsure, 0);
  if (issued >= least && issued <= most) return [];
  return [{ rule: 'E12', what: `${issued} places were given out for ${least} to ${most} requests` }];
}
