import { DoorledgerError } from '@doorledger/contracts';
import type { EventLog } from '../event-log.js';
import { projectorGroup } from './access-rules.js';
import { ClusterView } from './cluster-view.js';
import type { Partitions } from './division.js';
import { FetchLoop } from './fetch-loop.js';
import { openKafkaLog } from './kafka-log.js';
import { LogUnreachableError } from './log-unreachable.js';
import { calm } from './testing/calm-timeouts.js';
import { bareClient, connectionTo, describeOnKafka, newTopic } from './testing/kafka-cluster.js';
import { type ChildMember, type Member, SharedMembers } from './testing/shared-members.js';
import { StoredPlaces } from './testing/stored-places.js';
import { allInSync, makeTopicOn } from './testing/topic-on-brokers.js';

jest.setTimeout(90_000);

const topic = 'shared';
const PARTITIONS = 6;
const ALL = [0, 1, 2, 3, 4, 5];

describeOnKafka(
  'projectors that share partitions',
  (cluster) => {
    let count = 0;
    let log: EventLog;
    let topics: ReadonlyMap<string, number>;
    let places: StoredPlaces;
    let members: SharedMembers;

    beforeEach(async () => {
      topics = await newTopic(cluster(), topic, PARTITIONS);
      log = await openKafkaLog({ ...connectionTo(cluster(), { ...calm, produce: 2_000 }), topics });
      places = new StoredPlaces(PARTITIONS);
      members = new SharedMembers(cluster(), topics, projectorGroup('main', `${++count}`), places);
    });
    afterEach(async () => {
      await members.end();
      await log.close();
    });

    /** So many records, over all partitions. */
    const append = (records: number) =>
      log.append(
        topic,
        Array.from({ length: records }, (_, i) => ({ key: `key ${i}`, value: Buffer.from('{}'), headers: {} })),
      );
    /** An append that was tried again leaves copies. */
    const caughtUp = async (): Promise<void> => {
      const end = (await log.ends(topic)).reduce((sum, range) => sum + range.end, 0);
      await places.until(() => places.count === end);
    };
    const sorted = (...some: readonly { readonly held: readonly number[] }[]): number[] => some.flatMap(({ held }) => held).sort();
    const divided = (...some: readonly (Member | ChildMember)[]): Promise<void> =>
      places.until(() => some.every(({ held }) => held.length === PARTITIONS / some.length) && sorted(...some).join() === ALL.join());

    it('K11 divides the partitions among members, each reading its own from the stored places and giving them back when it leaves', async () => {
      await append(60);
      const first = await members.join('first');
      await divided(first);
      await places.until(() => places.count === 60);
      const second = await members.join('second');
      await divided(first, second);
      await append(60);
      await places.until(() => places.count === 120);
      expect(new Set(places.told.slice(-PARTITIONS).map(({ member }) => member))).toEqual(new Set(['first', 'second']));
      await first.close();
      await divided(second);
      await append(60);
      await places.until(() => places.count === 180);
      expect(places.wrong).toEqual([]);
    });

    it('K11 has projectors of two ledgers divide nothing between them: each ledger is given every record', async () => {
      const elsewhere = new StoredPlaces(PARTITIONS);
      const ofOther = new SharedMembers(cluster(), topics, projectorGroup('main', `other-${count}`), elsewhere);
      try {
        const [here, there] = [await members.join('here'), await ofOther.join('there')];
        await divided(here);
        await elsewhere.until(() => sorted(there).join() === ALL.join());
        await append(60);
        await places.until(() => places.count === 60);
        await elsewhere.until(() => elsewhere.count === 60);
        expect([sorted(here), sorted(there), places.wrong, elsewhere.wrong]).toEqual([ALL, ALL, [], []]);
      } finally {
        await ofOther.end();
      }
    });

    it('K11 has another member go on from the stored places when one is killed', async () => {
      const other = await members.join('other');
      const child = members.start('child');
      await divided(other, child);
      await append(60);
      await places.until(() => places.count === 60);
      await child.kill();
      await append(60);
      await places.until(() => places.count === 120);
      expect(sorted(other)).toEqual(ALL);
      expect(places.wrong).toEqual([]);
    });

    it('K11 has a member that was stopped past its session deliver nothing of what it lost, though it was fetched, when it wakes', async () => {
      const other = await members.join('other');
      const child = members.start('child');
      await divided(other, child);
      await append(60);
      await places.until(() => places.count === 60);
      child.process.kill('SIGSTOP');
      // While its last fetch waits at the broker: the answer lies in its socket when it wakes.
      await append(60);
      await divided(other);
      await places.until(() => places.count === 120);
      child.process.kill('SIGCONT');
      await divided(other, child);
      await append(60);
      await places.until(() => places.count === 180);
      expect(places.wrong).toEqual([]);
      expect(places.told.slice(-PARTITIONS).map(({ member }) => member)).toContain('child');
    });

    it('K11 loses nothing and stores nothing twice while members come and go', async () => {
      let isOver = false;
      const writing = (async () => {
        while (!isOver) await append(20);
      })();
      const here = [await members.join('0')];
      for (let i = 1; i <= 5; i++) {
        here.push(await members.join(String(i)));
        if (i > 1) await here.shift()!.close();
        await places.until(() => sorted(...here).join() === ALL.join() && here.every(({ held }) => held.length > 0));
      }
      isOver = true;
      await writing;
      await caughtUp();
      expect(places.wrong).toEqual([]);
      expect(new Set(places.told.map(({ member }) => member)).size).toBeGreaterThan(1);
    });

    it('K9 and K11 keep the membership, under the same group, when the broker that coordinates it hangs', async () => {
      const first = await members.join('first');
      const second = await members.join('second');
      await divided(first, second);
      await allInSync(cluster(), '__consumer_offsets');
      const view = await ClusterView.open(connectionTo(cluster()), [topic]);
      const link = await view.link(view.nodes[0]!);
      const { coordinator } = (await link.ask('GroupCoordinator', { groupId: members.group })) as { coordinator: { nodeId: number } };
      view.close();
      cluster().pause(coordinator.nodeId);
      try {
        await append(60);
        await caughtUp();
        await second.close();
        await divided(first);
        await append(60);
        await caughtUp();
      } finally {
        cluster().resume(coordinator.nodeId);
      }
      expect(places.wrong).toEqual([]);
    });

    it('K11 stops in the middle of what was fetched when its session is over, whatever it did not hear of meanwhile', async () => {
      await makeTopicOn(cluster(), 'one.leader', [[1], [1]]);
      const topics = new Map([['one.leader', 2]]);
      const short = await openKafkaLog({ ...connectionTo(cluster(), { ...calm, session: 2_000 }), topics, dev: true });
      await short.append(
        'one.leader',
        Array.from({ length: 20 }, (_, i) => ({ key: `key ${i}`, value: Buffer.from('{}'), headers: {} })),
      );
      const events: string[] = [];
      const all = new Promise<void>((resolve) => {
        short.followShared({
          group: members.group,
          topics: ['one.leader'],
          placesOf: places.placesOf,
          onHeld: (held) => events.push(`holds ${Object.values(held).flat().length}`),
          deliver: (batch) => {
            places.store('short', batch);
            // Nothing else of this process runs meanwhile, as if it were stopped.
            if (events.push('delivery') === 2) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500);
            if (places.count === 20) resolve();
          },
        });
      });
      await all;
      await short.close();
      expect(events).toEqual(['holds 2', 'delivery', 'holds 0', 'holds 2', 'delivery', 'holds 0']);
    });

    it('K9 begins anew from the stored places when reading stands still while the log grows', async () => {
      const troubles: string[] = [];
      const stalled = jest.spyOn(FetchLoop.prototype, 'run').mockImplementation(() => new Promise(() => {}));
      const member = await members.join('member', { onTrouble: (sentence) => troubles.push(sentence) });
      await divided(member);
      await append(60);
      await places.until(() => stalled.mock.calls.length > 0);
      stalled.mockRestore();
      await places.until(() => places.count === 60);
      expect(troubles).toContainEqual(expect.stringMatching(/stood still/));
      expect(places.wrong).toEqual([]);
    });

    it('K11 asks again for stored places that cannot be read, and stops where they say that history was lost', async () => {
      await append(60);
      const failures = [new Error('the database is away'), new LogUnreachableError(topic), new Error('the database is away')];
      const troubles: unknown[] = [];
      const placesOf = async (partitions: Partitions) => {
        const failure = failures.shift();
        if (failure) throw failure;
        return places.placesOf(partitions);
      };
      const member = await members.join('member', { placesOf, onTrouble: (sentence) => troubles.push(sentence) });
      await places.until(() => places.count === 60);
      expect(troubles).toEqual([expect.stringMatching(/stored places cannot be read/)]);
      await member.close();
      const lost = await members.join('lost', { placesOf: () => Promise.reject(new DoorledgerError('ERR_HISTORY_LOST', 'It was lost.')) });
      await expect(lost.failed).rejects.toMatchObject({ code: 'ERR_HISTORY_LOST' });
    });

    it('K11 ends a member whose receiver throws, and lets the others go on with its partitions at once', async () => {
      const faulty = await members.join('faulty', {
        deliver: () => {
          throw new Error('a bug');
        },
      });
      await append(60);
      await expect(faulty.failed).rejects.toThrow('a bug');
      const other = await members.join('other');
      await places.until(() => places.count === 60);
      expect(sorted(other)).toEqual(ALL);
    });

    it('K11 reads on from the stored places, as a member, when another process moved one of them meanwhile', async () => {
      const taken = new Error('taken');
      const troubles: string[] = [];
      let isFenced = true;
      const member = await members.join('member', {
        deliver: (batch) => {
          if (isFenced) throw taken;
          places.store('member', batch);
        },
        isFenced: (error) => error === taken,
        onTrouble: (sentence) => {
          troubles.push(sentence);
          isFenced = false;
        },
      });
      await append(60);
      await places.until(() => places.count === 60);
      expect(sorted(member)).toEqual(ALL);
      expect(troubles).toEqual([expect.stringMatching(/Another process moved a stored place/)]);
      expect(places.wrong).toEqual([]);
    });

    it('K11 is refused by name where something else uses the group', async () => {
      const consumer = bareClient(cluster()).consumer({ groupId: members.group, maxWaitTimeInMs: 100 });
      const joined = new Promise((resolve) => consumer.on(consumer.events.GROUP_JOIN, resolve));
      await consumer.subscribe({ topics: [topic] });
      await consumer.run({ eachMessage: async () => {} });
      await joined;
      const member = await members.join('member');
      await expect(member.failed).rejects.toMatchObject({ code: 'ERR_GROUP_REFUSED' });
      await consumer.disconnect();
    });
  },
  { brokers: 3, properties: { 'group.min.session.timeout.ms': 1000 } },
);
