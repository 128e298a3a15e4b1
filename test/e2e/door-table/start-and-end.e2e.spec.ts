import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { handshake, rest } from '../../../libs/doors/src/ws/testing/peer.js';
import { cli, ended, runCli, serve } from '../../faults/served-process.js';
import { answerOf } from './asking.js';
import { CanarySearch, canary } from './canary.js';
import type { Ask } from './door-case.js';

jest.setTimeout(120_000);
const search = new CanarySearch([]);
const said = { input: canary('said') };

it('D5, R2, C2 and E4 tell what comes while a host closes that it closes, and count it', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'doorledger-closing-'));
  const host = { served: await serve(dir), tokens: {} };
  const port = Number(new URL(host.served.url).port);
  // A peer that never says goodbye keeps the host from closing for a moment.
  const peer = connect(port, '127.0.0.1', () => peer.write(handshake(port)));
  const isTold = new Promise<void>((resolve) => peer.on('data', (chunk: Buffer) => chunk.includes(Buffer.from([0x03, 0xe9])) && resolve()));
  const isOver = rest(peer);
  await new Promise((resolve) => peer.once('data', resolve));
  const code = host.served.stop();
  await isTold;
  for (const ask of [{}, { isUpgrade: true }, { path: '/v1/sessions' }] satisfies Ask[]) {
    const { status, headers, body } = await answerOf(host, { as: 'nobody', body: said, ...ask });
    expect([status, JSON.parse(body), headers['retry-after'], headers.connection]).toEqual([
      503,
      { error: expect.any(String), code: 'ERR_HOST_CLOSED' },
      '1',
      'close',
    ]);
  }
  peer.destroy();
  await isOver;
  expect(await code).toBe(0);
  const { stdout } = await runCli(['tail', '--no-follow', '--type', 'ingress.counted', '--data', dir]);
  const counts = stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { event: { data: { reason: string; count: number } } }).event.data);
  expect(counts.map(({ reason, count }) => [reason, count])).toEqual(
    expect.arrayContaining([
      ['accepted-upgrade', 1],
      ['closing', 3],
    ]),
  );
  rmSync(dir, { recursive: true, force: true });
});

it('E7 and K15 answer 503 before any work while the log cannot be reached', async () => {
  const env = {
    DOORLEDGER_LOG: 'kafka',
    DOORLEDGER_KAFKA_BROKERS: '127.0.0.1:9',
    DOORLEDGER_STORE: 'postgres',
    DOORLEDGER_DATABASE_URL: 'postgres://x@127.0.0.1:9/x',
  };
  const child = cli(['host'], { ...env, DOORLEDGER_KEY: 'ab'.repeat(32), DOORLEDGER_PORT: '0' });
  try {
    const url = await firstUrl(child.stderr);
    const host = { served: { url }, tokens: {} } as Parameters<typeof answerOf>[0];
    for (const ask of [{}, { isUpgrade: true }, { path: '/v1/sessions' }] satisfies Ask[]) {
      const { status, headers, body } = await answerOf(host, { as: 'nobody', body: said, ...ask });
      expect([status, JSON.parse(body), headers['retry-after']]).toEqual([
        503,
        { error: expect.any(String), code: 'ERR_LOG_UNAVAILABLE' },
        '1',
      ]);
      expect(search.in(body)).toEqual([]);
    }
  } finally {
    await ended(child, 'SIGKILL');
  }
});

/** The address that a starting process names. */
async function firstUrl(words: Readable): Promise<string> {
  for await (const line of createInterface({ input: words })) {
    const [, url] = /^Door +(http:\S+)\/invoke/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error('The process ended and named no address.');
}
