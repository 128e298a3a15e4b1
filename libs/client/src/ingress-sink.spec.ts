import { Connection } from './connection.js';
import { IngressSink, type IngressRecord } from './ingress-sink.js';

const record: IngressRecord = { at: 1, door: 'turn', outcome: 'served', bearerPresent: true, durationMs: 1 };

interface Batch {
  readonly door: string;
  readonly bootId: string;
  readonly records: readonly { readonly id: string; readonly seq: number; readonly errorCode?: string }[];
}

/** What comes to a host that answers as `answer` says. */
function sinkTo(answer: (batch: Batch, batches: number) => Response | Error, more: object = {}) {
  const batches: Batch[] = [];
  const lost: number[] = [];
  const fetching = async (_url: URL, { body }: { body: string }) => {
    const batch = JSON.parse(body) as Batch;
    batches.push(batch);
    const said = answer(batch, batches.length);
    if (said instanceof Error) throw said;
    return said;
  };
  const connection = new Connection({ url: 'http://host', attempts: 2, fetch: fetching as unknown as typeof fetch });
  return { sink: new IngressSink(connection, { door: 'shop', onLost: (count: number) => lost.push(count), ...more }), batches, lost };
}
const fine = () => new Response('{"filed":1}');
const seqsOf = (batches: readonly Batch[]) => batches.flatMap(({ records }) => records.map(({ seq }) => seq));

it('N41 takes records at once and files them in order, many at a time', async () => {
  const { sink, batches } = sinkTo(fine);
  for (let i = 0; i < 450; i++) sink.file(record);
  expect(batches).toEqual([]);
  await sink.flushed();
  expect(seqsOf(batches)).toEqual(Array.from({ length: 450 }, (_, i) => i + 1));
  expect(batches.map(({ records }) => records.length)).toEqual([200, 200, 50]);
  expect(new Set(batches.map(({ bootId }) => bootId)).size).toBe(1);
  expect(sink.lost).toBe(0);
});

it('N41 sends an unanswered batch again under the same ids', async () => {
  const { sink, batches } = sinkTo((_, count) => (count === 1 ? new TypeError('fetch failed') : fine()));
  sink.file(record);
  await sink.flushed();
  expect(batches.length).toBe(2);
  expect(batches[1]).toEqual(batches[0]);
});

it('N41 loses the one record that nobody can file, and counts it', async () => {
  const refusing = ({ records }: Batch) => {
    const index = records.findIndex(({ errorCode }) => errorCode === 'bad');
    return index === -1 ? fine() : Response.json({ error: 'x', code: 'ERR_INVALID_QUERY', index }, { status: 400 });
  };
  const { sink, batches, lost } = sinkTo(refusing);
  for (const errorCode of ['ERR_A', 'bad', 'ERR_B']) sink.file({ ...record, errorCode });
  await sink.flushed();
  const filed = batches.filter(({ records }) => records.every(({ errorCode }) => errorCode !== 'bad'));
  expect([seqsOf(filed), sink.lost, lost]).toEqual([[1, 3], 1, [1]]);
});

it('N41 keeps no more than its bound and never throws', async () => {
  const { sink, batches } = sinkTo(fine, { maxWaiting: 3 });
  for (let i = 0; i < 5; i++) sink.file(record);
  expect(sink.lost).toBe(2);
  await sink.close();
  sink.file(record);
  expect([seqsOf(batches), sink.lost]).toEqual([[1, 2, 3], 3]);
});

it('N41 loses what a log that is away does not take, when it is told to end', async () => {
  const { sink, lost } = sinkTo(() => new TypeError('fetch failed'));
  sink.file(record);
  await sink.close();
  expect([sink.lost, lost]).toEqual([1, [1]]);
});
