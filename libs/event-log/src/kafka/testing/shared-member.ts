import { openKafkaLog } from '../kafka-log.js';
import { shared } from './calm-timeouts.js';

/** A member in a process of its own: it asks its parent for places, and tells it what was delivered and what it holds. */
const [brokers, topic, partitions, group] = process.argv.slice(2) as [string, string, string, string];
const answers = new Map<number, (places: number[]) => void>();
let asked = 0;
const ask = (question: object): Promise<number[]> =>
  new Promise((resolve) => {
    answers.set(++asked, resolve);
    process.send!({ id: asked, ...question });
  });
process.on('message', ({ id, places }: { id: number; places: number[] }) => {
  answers.get(id)?.(places);
  answers.delete(id);
});

const log = await openKafkaLog({
  brokers: brokers.split(','),
  clientId: 'doorledger-spec-child',
  topics: new Map([[topic, Number(partitions)]]),
  timeouts: shared,
});
log.followShared({
  group,
  topics: [topic],
  placesOf: async () => ({ [topic]: await ask({ asks: true }) }),
  deliver: async ({ partition, records }) => void (await ask({ partition, records: records.map(({ offset }) => ({ offset })) })),
  onHeld: (held) => process.send!({ held: held[topic] ?? [] }),
});
