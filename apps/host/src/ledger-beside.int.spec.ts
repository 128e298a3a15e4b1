import type { Generations } from '@doorledger/ledger';
import { sampleStory } from '../../../libs/ledger/src/testing/sample-story.js';
import { closeTemporaryLedgers, project, temporaryLedger } from '../../../libs/ledger/src/testing/temporary-ledger.js';
import { LedgerBeside } from './ledger-beside.js';

afterEach(closeTemporaryLedgers);

it('L9 reads a generation that was taken into use from when it holds all that the one before held, for a host has let go of that', async () => {
  const log = sampleStory();
  const stores = [temporaryLedger(), temporaryLedger()];
  await project(stores[0]!, log);
  let live = 1;
  const generations = {
    get live() {
      return live;
    },
    openLiveReader: () => ({ generation: live, store: stores[live - 1]! }),
  } as unknown as Generations;
  const beside = await LedgerBeside.open(generations, log.topics, { onWaiting: () => {}, signal: new AbortController().signal });
  const told: number[] = [];
  let onTold = () => {};
  beside.onPositions(({ positions }) => {
    told.push(
      Object.values(positions)
        .flat()
        .reduce((sum, next) => sum + next, 0),
    );
    onTold();
  });
  const look = () => new Promise<void>((resolve) => (onTold = resolve));
  await look();
  live = 2;
  const [closed] = stores.map((store) => jest.spyOn(store, 'close').mockResolvedValue());
  for (let looks = 0; looks < 3; looks++) await look();
  expect(closed).not.toHaveBeenCalled();
  await project(stores[1]!, log);
  while (closed!.mock.calls.length === 0) await look();
  await look();
  expect(new Set(told).size).toBe(1);
  await beside.close();
  jest.restoreAllMocks();
});
