/**
 * A record that was carried here from another log keeps its timestamp in a batch of `CreateTime`, and the epoch it was written in (L1) in this
 * header: brokers put an epoch of their own into every batch. Readers take it out again, so that the record is the one that was carried.
 */
const EPOCH_HEADER = 'doorledger-epoch';

/** The headers of a record with the epoch that a reader is to see. */
export const withEpoch = (headers: Readonly<Record<string, string>>, epoch: number): Record<string, string> => ({
  ...headers,
  [EPOCH_HEADER]: String(epoch),
});

/**
 * Takes the carried epoch out of a record's headers; undefined where there is none. Only of batches with their writers' own timestamps: while
 * a log is in use brokers make none of these, whatever a writer puts into its headers (K13).
 */
export function takeEpoch(headers: Record<string, string>): number | undefined {
  const text = headers[EPOCH_HEADER];
  if (text === undefined || !/^\d{1,9}$/.test(text)) return undefined;
  delete headers[EPOCH_HEADER];
  return Number(text);
}
