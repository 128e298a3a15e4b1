import type { FactData } from '@doorledger/contracts';
import type { NewRecord, Position } from '@doorledger/event-log';
import { IngressRecorder, type IngressEntry } from '../ingress-recorder.js';
import { placesOf } from '../../../../../test/faults/places-on-log.js';

export const bootId = '00000000-0000-4000-8000-000000000001';

export const entry: IngressEntry = { at: 1, door: 'turn', outcome: 'served', bearerPresent: false, durationMs: 0 };
export const refusal: IngressEntry = { ...entry, door: 'request', outcome: 'cross-site-refused', errorCode: 'ERR_HOST_NOT_ALLOWED' };

export interface Filed {
  readonly id: string;
  readonly key: string;
  readonly type: string;
  readonly data: FactData<'ingress.recorded'> & FactData<'ingress.counted'>;
}

/** A recorder on a log that keeps what `append` lets through; `appends` are the sizes of its appends. */
export function recordedLog(append: (records: readonly NewRecord[]) => Promise<void> = async () => {}) {
  const filed: Filed[] = [];
  const appends: number[] = [];
  const clock = { now: 0 };
  const log = {
    append: async (topic: string, records: readonly NewRecord[]): Promise<Position[]> => {
      await append(records);
      appends.push(records.length);
      for (const { key, value } of records) filed.push({ key, ...(JSON.parse(Buffer.from(value).toString()) as Omit<Filed, 'key'>) });
      return records.map(() => ({ topic, partition: 0, offset: filed.length }));
    },
  };
  const origin = { source: '/doorledger/t/h', now: () => clock.now };
  const recorder = new IngressRecorder({ log, hostId: 'h', bootId, origin, maxPending: 3 });
  return { filed, appends, clock, recorder, counted: () => filed.filter(({ type }) => type === 'ingress.counted').map(({ data }) => data) };
}

/** Every place that the facts name, in order. */
export const filedPlaces = (filed: readonly Filed[]): number[] =>
  filed.flatMap(({ type, data }) => (type === 'ingress.recorded' ? [data.seq] : placesOf(data.seqs))).sort((a, b) => a - b);

export const upTo = (last: number): number[] => Array.from({ length: last }, (_, i) => i + 1);
