import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Shown } from '../../apps/cli/src/demo/shown.js';
import { serve, type Served } from '../faults/served-process.js';
import { codeOf, run } from './data-folder.js';

jest.setTimeout(240_000);
let root: string;
let data: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'doorledger-demo-'));
  data = join(root, 'demo');
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

interface Fact {
  readonly event: { readonly type: string; readonly data: Readonly<Record<string, unknown>> };
}
const linesOf = <T>(stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as T);

describe('after an hour of the demo', () => {
  let shown: Shown;
  beforeAll(async () => {
    const ended = await run(['demo', '--once', '--json', '--data', data, '--port', '0'], {}, 120_000);
    expect([ended.code, ended.stderr]).toEqual([0, expect.stringContaining('3 calls wait for your decision') as string]);
    [shown] = linesOf<Shown>(ended.stdout) as [Shown];
  });

  it('N8, N20, N22, N31 and N34 the ledger has consents that wait and that ended in every way, and the census adds up', () => {
    expect(shown).toEqual({
      requests: expect.any(Number) as number,
      consents: { pending: 3, approved: expect.any(Number) as number, declined: expect.any(Number) as number, closed: 3, expired: 1 },
      outcomeUnknown: 1,
      censusAddsUp: true,
    });
    expect(shown.requests).toBeGreaterThan(150);
    // Nobody knows beforehand which word wins the two races.
    const { approved, declined } = shown.consents;
    expect(approved! + declined!).toBe(14);
    expect(Math.min(approved! - 9, declined! - 3)).toBeGreaterThanOrEqual(0);
  });

  it('E3 and E4 the log has refusals of more than ten causes, and what they were', async () => {
    const { stdout } = await run(['tail', '--no-follow', '--topic', 'ingress', '--data', data]);
    const facts = linesOf<Fact>(stdout).map(({ event }) => event);
    const codes = new Set(facts.map(({ data: { errorCode } }) => errorCode));
    const reasons = new Set(facts.map(({ data: { reason } }) => reason));
    expect([...codes].filter(Boolean).sort()).toEqual([
      'ERR_AWAITING_DECISION',
      'ERR_CONCURRENT_RUN',
      'ERR_HOST_NOT_ALLOWED',
      'ERR_INVALID_RUN_INPUT',
      'ERR_INVALID_SESSION_ID',
      'ERR_NO_PENDING_ASK',
      'ERR_ORIGIN_NOT_ALLOWED',
      'ERR_RESUME_REFUSED',
      'ERR_SESSION_OP_NEEDS_IDENTITY',
      'ERR_UNSUPPORTED_MEDIA_TYPE',
    ]);
    expect([...reasons].filter(Boolean).sort()).toEqual(['bad-wire-op', 'body-too-large', 'unparseable-body', 'unrouted']);
  });

  it('V2 doorledger verify calls it sound', async () => {
    const { code, stdout } = await run(['verify', '--data', data]);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { isSound: true, isEqual: true, census: { addsUp: true, unknown: 0 } }]);
  });

  describe('beside a host on that folder', () => {
    let served: Served;
    beforeAll(async () => {
      served = await serve(data);
    });
    afterAll(() => served.stop());
    const get = async (path: string) => (await (await fetch(`${served.url}${path}`)).json()) as { items: Record<string, unknown>[] };

    it('L5 and N13 a lost race is on the timeline of its session as a void claim', async () => {
      const { items } = await get('/v1/sessions?limit=100');
      const timelines = await Promise.all(items.map(({ sessionRef }) => get(`/v1/sessions/${String(sessionRef)}/timeline?limit=100`)));
      const lost = timelines.flatMap(({ items: facts }) =>
        facts.filter(({ type, verdict }) => type === 'turn.claimed' && verdict === 'void'),
      );
      expect(lost.length).toBeGreaterThanOrEqual(1);
    });

    it('P1 and N53 what waits at an open door is decided at the API by whoever asks there', async () => {
      const { items } = await get('/v1/consents?state=pending');
      expect(items.map(({ server, tool }) => `${String(server)}.${String(tool)}`).sort()).toEqual([
        'bank.transfer',
        'files.delete_folder',
        'mail.send',
      ]);
      const { requestId } = items.find(({ tool }) => tool === 'delete_folder')!;
      const answer = await fetch(`${served.url}/v1/consents/${String(requestId)}/decision`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ approved: false }),
      });
      expect([answer.status, await answer.json()]).toMatchObject([200, { requestId, verdict: 'declined' }]);
    });
  });
});

it('leaves a folder alone whose log no demo began, and takes no settings but its own', async () => {
  const other = join(root, 'other');
  mkdirSync(other);
  writeFileSync(join(other, 'log.db'), '');
  expect(codeOf(await run(['demo', '--once', '--data', other, '--port', '0']))).toBe('ERR_DEMO');
  expect(codeOf(await run(['demo', '--once', '--config', 'any.yaml']))).toBe('ERR_DEMO');
});
