import { topics } from '@doorledger/contracts';
import type { EventLog } from '../event-log.js';
import { partitionOf } from '../partition.js';
import type { EventLogFixture } from './event-log.contract.js';
import { recordsOfCall } from './history.js';

/** What every adapter keeps when retention moves a start (X3). */
export function logCutContract(name: string, open: (topic: string) => Promise<EventLogFixture>): void {
  const topic = topics.private.name;

  describe(`${name} loses its oldest records and nothing else`, () => {
    let fixture: EventLogFixture;
    let log: EventLog;
    let partition: number;
    beforeEach(async () => {
      fixture = await open(topic);
      ({ log } = fixture);
      partition = partitionOf('key', log.topics.get(topic)!);
      for (let call = 0; call < 5; call++) await log.append(topic, recordsOfCall(`call-${call}`, 1, 'key'));
    });
    afterEach(() => fixture.dispose());

    const offsets = async () => {
      const found: number[] = [];
      const starts = (await log.ends(topic)).map(({ start }) => start);
      for await (const { records } of log.read(topic, starts)) found.push(...records.map(({ offset }) => offset));
      return found;
    };

    it('X3 moves the start of a partition, also over a restart, and every other place stays what it is', async () => {
      await log.cut(topic, [{ partition, before: 3 }]);
      for (const reopened of [false, true]) {
        if (reopened) log = await fixture.reopen();
        expect((await log.ends(topic))[partition]).toEqual({ start: 3, end: 5 });
        expect(await offsets()).toEqual([3, 4]);
        expect(await log.recordAt({ topic, partition, offset: 2 })).toBeUndefined();
        expect((await log.recordAt({ topic, partition, offset: 3 }))?.offset).toBe(3);
      }
    });

    it('X3 goes on with the next place after a partition that was cut whole, and no cut takes back a start', async () => {
      await log.cut(topic, [{ partition, before: 5 }]);
      await log.cut(topic, [{ partition, before: 2 }]);
      expect((await log.ends(topic))[partition]).toEqual({ start: 5, end: 5 });
      log = await fixture.reopen();
      const [position] = await log.append(topic, recordsOfCall('next', 1, 'key'));
      expect(position).toEqual({ topic, partition, offset: 5 });
      expect(await offsets()).toEqual([5]);
    });
  });
}
