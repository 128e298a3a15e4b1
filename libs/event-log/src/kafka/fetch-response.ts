/** What a broker answered for one partition of a fetch. */
export interface FetchedPartition {
  readonly topic: string;
  readonly partition: number;
  /** 0 is none; the others are Kafka's. */
  readonly errorCode: number;
  /** The first offset of each aborted transaction that reaches into `records`, by its producer. */
  readonly aborted: readonly AbortedTransaction[];
  /** Record batches; the last one may be cut off. */
  readonly records: Buffer;
}

export interface AbortedTransaction {
  readonly producerId: bigint;
  readonly firstOffset: number;
}

export interface FetchResponse {
  /** ms for which kafkajs sends this broker nothing more (KIP-219). */
  readonly clientSideThrottleTime: number;
  readonly partitions: FetchedPartition[];
}

/**
 * Reads a Fetch response, version 11:
 * `throttle_ms:i32 error:i16 session:i32 [topic:str [partition:i32 error:i16 high:i64 stable:i64 start:i64
 * [producer:i64 first:i64] replica:i32 records:bytes]]`
 */
export function decodeFetchResponse(bytes: Buffer): FetchResponse {
  const clientSideThrottleTime = bytes.readInt32BE(0);
  const partitions: FetchedPartition[] = [];
  let at = 10;
  const int32 = (): number => bytes.readInt32BE((at += 4) - 4);
  for (let topics = int32(); topics > 0; topics--) {
    const length = bytes.readInt16BE(at);
    const topic = bytes.toString('utf8', at + 2, at + 2 + length);
    at += 2 + length;
    for (let count = int32(); count > 0; count--) {
      const partition = int32();
      const errorCode = bytes.readInt16BE(at);
      at += 2 + 3 * 8;
      const aborted: AbortedTransaction[] = [];
      for (let left = int32(); left > 0; left--, at += 16)
        aborted.push({ producerId: bytes.readBigInt64BE(at), firstOffset: Number(bytes.readBigInt64BE(at + 8)) });
      at += 4;
      const size = Math.max(0, int32());
      partitions.push({ topic, partition, errorCode, aborted, records: bytes.subarray(at, at + size) });
      at += size;
    }
  }
  return { clientSideThrottleTime, partitions };
}
