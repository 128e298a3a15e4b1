import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DoorledgerConfig } from '@doorledger/config';
import { DoorledgerError } from '@doorledger/contracts';
import type * as logs from './open-log.js';
import { openTruth } from './open-truth.js';

/** How often the log, once it is open, has no leader that answers. */
let mockRefusals = 0;
jest.mock('./open-log.js', () => {
  const actual = jest.requireActual<typeof logs>('./open-log.js');
  const openLog: typeof actual.openLog = async (...asked) => {
    const log = await actual.openLog(...asked);
    const ends = log.ends.bind(log);
    log.ends = async (topic) => {
      if (mockRefusals-- > 0) throw new DoorledgerError('ERR_LOG_UNREACHABLE', 'No broker that leads it answered in time.');
      return ends(topic);
    };
    return log;
  };
  return { ...actual, openLog };
});

let dir: string;
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'doorledger-truth-'))));
afterEach(() => rmSync(dir, { recursive: true }));

it('K15 waits for a log that is open and whose leader does not answer yet, saying so, until it is told to end', async () => {
  const config = Object.assign(new DoorledgerConfig(), { data: dir });
  mockRefusals = 2;
  const heard: string[] = [];
  const { signal } = new AbortController();
  const truth = await openTruth(config, { onWaiting: (missing) => void heard.push(missing), signal });
  expect([heard.length, mockRefusals < 0]).toEqual([2, true]);
  await truth.close();
  mockRefusals = 1;
  const stopped = new AbortController();
  const waiting = openTruth(config, { onWaiting: () => stopped.abort(new Error('told to end')), signal: stopped.signal });
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
});
