import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LedgerGenerations, ledgerDigest, type Generations } from '@doorledger/ledger';
import { PostgresGenerations } from '@doorledger/ledger/postgres';
import { isKafkaThere } from '../../faults/real-parts.js';
import { cli, ended, serve, type Ended } from '../../faults/served-process.js';
import { ConsentWorld, call } from '../consent/consent-world.js';
import { run, upOn } from '../data-folder.js';
import { KafkaPlace } from './kafka-place.js';

jest.setTimeout(180_000);
const isThere = isKafkaThere() || process.env.REQUIRE_KAFKA !== undefined;
if (!isThere) console.warn('SKIPPED: moving a log needs Kafka. Run "node scripts/setup.mjs kafka" first.');

interface Moved {
  readonly isMoved: boolean;
  readonly logId: string;
  readonly to: string;
  readonly records: number;
  readonly keys: number;
  readonly ledger: { readonly sha256: string };
}

/** The code of the last line, which a refusal ends with; its other lines say how far it came. */
const refusalOf = ({ code, stderr }: Ended) => [code, /\((ERR_[A-Z_]+)\)\n$/.exec(stderr)?.[1] ?? stderr];

(isThere ? describe : describe.skip)('a log that is moved from a data folder to Kafka and PostgreSQL', () => {
  let world: ConsentWorld;
  let place: KafkaPlace;
  let env: Record<string, string>;
  let moved: Moved;
  beforeAll(async () => {
    [world, place] = await Promise.all([
      ConsentWorld.start({ gates: { gate: {}, free: undefined }, env: { DOORLEDGER_HOST_ID: 'one' } }),
      KafkaPlace.start(),
    ]);
    env = { ...world.env, ...place.env(readFileSync(join(world.data, 'deployment.key'), 'utf8').trim()) };
  });
  afterAll(async () => {
    await place?.stop();
    await world?.stop();
  });

  const move = (more: Record<string, string> = {}) =>
    run(['move', '--to', 'kafka', '--yes-i-know', '--data', world.data], { ...env, ...more });
  const digestOf = async (generations: Generations) => {
    const { store } = await generations.openLiveReader();
    return store.snapshot((db) => ledgerDigest(db)).finally(() => store.close());
  };
  const asked = new Map<string, { readonly requestId: string; readonly turnId: string }>();
  const yes = (name: string) => ({ requestId: asked.get(name)!.requestId, approved: true });

  it('X5 is refused by name beside a process that runs, without an operator’s word, under another key and with other settings', async () => {
    for (const name of ['spent', 'declined', 'waiting', 'late', 'granted'])
      asked.set(name, await world.paused('ann', name, 'gate', { note: name }));
    expect((await world.decide('ann', 'spent', yes('spent'))).body).toEqual({ output: 'paid spent' });
    await world.decide('ann', 'declined', { ...yes('declined'), approved: false });
    expect((await world.post('ann', '/v1/grants', { requestId: asked.get('granted')!.requestId, count: 3 })).status).toBe(201);
    await world.decide('ann', 'granted', yes('granted'));
    expect(await world.say('ann', 'talk', 'hello')).toMatchObject({ status: 200 });
    expect(await world.post('ann', '/invoke', { sessionId: 'over', input: 'bye' })).toMatchObject({ status: 200 });
    expect((await world.post('ann', '/invoke', { sessionId: 'over', op: 'session-close' })).status).toBe(200);
    expect(refusalOf(await move())).toEqual([1, 'ERR_DATA_IN_USE']);
    world.desk.hold('tools/call');
    const lost = world.say('ann', 'open', call('free', { note: 'open' })).catch((error: unknown) => error);
    await world.desk.holding('tools/call');
    await world.served.kill();
    await lost;
    world.desk.release();
    // A second start: the epochs of the log are several.
    const again = await serve(world.data, { ...world.env, DOORLEDGER_HOST_ID: 'other' });
    await again.kill();
    expect(refusalOf(await move({ DOORLEDGER_KAFKA_PARTITIONS: 'cluster' }))).toEqual([1, 'ERR_MOVE_SETTINGS']);
    expect(refusalOf(await move({ DOORLEDGER_KEY: 'ab'.repeat(32) }))).toEqual([1, 'ERR_LOG_OTHER_KEY']);
    const silent = await run(['move', '--to', 'kafka', '--data', world.data], env);
    expect([silent.code, silent.stdout, silent.stderr]).toEqual([1, '', expect.stringMatching(/\(ERR_NOT_CONFIRMED\)\n$/)]);
  });

  it('X5 is repeated after kill -9 wherever it was, and no host starts on the half of it', async () => {
    for (const moment of ['records go from', 'move: ', 'ledger: ']) {
      const child = cli(['move', '--to', 'kafka', '--yes-i-know', '--data', world.data], env);
      child.stdout.resume();
      let words = '';
      await new Promise<void>((resolve) => {
        child.stderr.on('data', (chunk: Buffer) => (words += chunk.toString()).includes(moment) && resolve());
        child.once('close', () => resolve());
      });
      await ended(child, 'SIGKILL');
      expect([moment, words]).toEqual([moment, expect.stringContaining(moment)]);
    }
    expect(refusalOf(await run(['host', '--port', '0', '--data', join(world.dir, 'no-host')], env))).toEqual([1, 'ERR_TOPIC_SETTINGS']);
    const { code, stdout, stderr } = await move();
    expect([code, stderr]).toEqual([0, expect.stringContaining('The log is on Kafka')]);
    moved = JSON.parse(stdout) as Moved;
    expect(moved).toMatchObject({ isMoved: true, logId: expect.any(String) as string });
  });

  it('X5 and X0 fold the same ledger there, to one digest', async () => {
    const there = await PostgresGenerations.open({ url: place.postgres.url() });
    const digests = [await digestOf(new LedgerGenerations(world.data)), await digestOf(there)];
    await there.close();
    expect(digests.map(({ sha256 }) => sha256)).toEqual([moved.ledger.sha256, moved.ledger.sha256]);
    expect(digests[0]!.rows).toBeGreaterThan(30);
    expect(moved.keys).toBeGreaterThan(5);
  });

  it('X5 refuses every start on the folder from then on, and says where the log went', async () => {
    const up = await upOn(world.data, world.env);
    expect(refusalOf(up)).toEqual([1, 'ERR_LOG_MOVED']);
    expect(up.stderr).toContain(moved.to);
    const projector = await run(['projector', '--data', world.data, '--projector-port', '0'], world.env);
    expect(refusalOf(projector)).toEqual([1, 'ERR_LOG_MOVED']);
  });

  it('X5, N7 and N33 decide there what was asked for here: a waiting approval runs its call once, and a spent one is refused', async () => {
    world.served = await place.serve({ ...env, DOORLEDGER_HOST_ID: 'one' });
    expect((await world.pending('ann', 'waiting')).body).toEqual({ pending: asked.get('waiting') });
    expect(world.desk.times('waiting')).toBe(0);
    const both = await Promise.all([world.decide('ann', 'waiting', yes('waiting')), world.decide('ann', 'waiting', yes('waiting'))]);
    expect(both.map(({ body }) => body)).toContainEqual({ output: 'paid waiting' });
    expect(world.desk.times('waiting')).toBe(1);
    const spent = await world.decide('ann', 'spent', { ...yes('spent'), approved: false });
    expect([spent.status, spent.body.reason, spent.body.standing]).toEqual([409, 'already-answered', 'approved']);
    const declined = await world.decide('ann', 'declined', yes('declined'));
    expect([declined.status, declined.body.reason]).toEqual([409, 'already-answered']);
    expect([world.desk.times('spent'), world.desk.times('declined')]).toEqual([1, 0]);
  });

  it('X5 goes on with sessions, owners, grants and closed sessions where they were', async () => {
    const before = world.desk.times('granted');
    expect((await world.say('ann', 'granted', call('gate', { note: 'granted' }))).body).toEqual({ output: 'paid granted' });
    expect(world.desk.times('granted')).toBe(before + 1);
    expect((await world.say('ann', 'talk', 'again')).body).toEqual({ output: 'again' });
    expect((await world.say('bob', 'talk', 'mine?')).status).toBe(404);
    expect((await world.say('ann', 'over', 'still there?')).status).toBe(404);
    expect((await world.say('ann', 'open', 'go on')).body).toEqual({ output: 'go on' });
    expect(world.desk.times('open')).toBe(1);
  });

  it('X5 has nothing to do where a log has gone on there already', async () => {
    const { code, stdout, stderr } = await move();
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { isMoved: false, logId: moved.logId, to: moved.to }]);
    expect(stderr).toContain('moved there before');
    const replayed = await run(['replay'], env);
    expect([replayed.code, JSON.parse(replayed.stdout)]).toMatchObject([0, { isEqual: true }]);
  });
});
