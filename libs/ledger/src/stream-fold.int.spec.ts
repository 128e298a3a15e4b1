import { topics } from '@doorledger/contracts';
import type { RecordBatch } from '@doorledger/event-log';
import { StreamFold } from './stream-fold.js';
import type { LedgerStore } from './store.js';
import { sampleStory } from './testing/sample-story.js';
import { closeTemporaryLedgers, digestOf, project, temporaryLedger } from './testing/temporary-ledger.js';

afterEach(closeTemporaryLedgers);

const log = sampleStory();
const open = (store: LedgerStore): Promise<StreamFold> =>
  StreamFold.open({ store, topics: log.topics, signal: new AbortController().signal });

const isOfSessions = ({ topic }: RecordBatch): boolean => topic === topics.session.name;

it.each([1, 3, 1000])('X0 folds the same ledger wherever its commits are cut: every %d batches', async (every) => {
  const [projected, streamed] = [temporaryLedger(), temporaryLedger()];
  await project(projected, log);
  const fold = await open(streamed);
  const told: number[] = [];
  let added = 0;
  for (const [i, batch] of log.batches(2).entries()) {
    await fold.add(batch);
    added += batch.records.length;
    const upToHere = added;
    if ((i + 1) % every === 0) await fold.commit(() => told.push(upToHere));
  }
  await fold.commit(() => told.push(added));
  expect(fold.records).toBe(0);
  await fold.end();
  await fold.close();
  expect(told).toEqual([...told].sort((a, b) => a - b));
  expect(told.at(-1)).toBe(added);
  expect(await digestOf(streamed)).toBe(await digestOf(projected));
});

it('X0 stops where another one has written to the same ledger', async () => {
  const store = temporaryLedger();
  const [fold, other] = [await open(store), await open(store)];
  for (const one of [fold, other]) for (const batch of log.batches().filter(isOfSessions)) await one.add(batch);
  await other.commit(() => {});
  await other.end();
  await fold.commit(() => {});
  await expect(fold.end()).rejects.toMatchObject({ code: 'ERR_LEDGER_TAKEN' });
  await expect(fold.commit(() => {})).rejects.toMatchObject({ code: 'ERR_LEDGER_TAKEN' });
  await Promise.all([fold.close(), other.close()]);
});
