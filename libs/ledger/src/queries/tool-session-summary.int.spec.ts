import { closeTemporaryLedgers, logAndLedger, project } from '../testing/temporary-ledger.js';
import { SampleToolSession } from '../testing/sample-facts.js';
import { uuid } from '../testing/sample-log.js';
import { readToolSessionSummary } from './tool-session-summary.js';

afterEach(closeTemporaryLedgers);

it('P2 and T40 count what is open, reused, ended by reason and left behind', async () => {
  const { log, store } = logAndLedger();
  new SampleToolSession(log, 'early').start();
  const from = (log.now += 1000);
  new SampleToolSession(log, 'a').start().reuse(4);
  new SampleToolSession(log, 'b').start().close('idle');
  new SampleToolSession(log, 'c').start().close('idle', { errorClass: 'Gone' });
  new SampleToolSession(log, 'd', { hostId: 'host-2' }).start().close('run-end');
  new SampleToolSession(log, 'left', { hostId: 'gone', bootId: uuid('gone') }).start();
  const host = { hostId: 'gone', bootId: uuid('gone'), version: '1', foldVersion: 1, lastSeq: 0, durableSeq: 0 };
  log.add('gone', { type: 'host.started', data: host });
  log.add('gone', { type: 'host.stopped', data: host });
  await project(store, log);
  expect(await readToolSessionSummary(store.db, from)).toEqual({
    from: new Date(from).toISOString(),
    ...{ live: 3, hosts: 2, leaked: 1, isMore: false, started: 5, calls: 8, longestCleanupMs: 2 },
    ended: [
      { reason: 'idle', count: 2, failed: 1 },
      { reason: 'run-end', count: 1, failed: 0 },
    ],
  });
});

it('P2 counts nothing where there is nothing', async () => {
  const { store } = logAndLedger();
  expect(await readToolSessionSummary(store.db, 0)).toEqual({
    ...{ from: '1970-01-01T00:00:00.000Z', live: 0, hosts: 0, leaked: 0, isMore: false, started: 0, calls: 0, ended: [] },
  });
});
