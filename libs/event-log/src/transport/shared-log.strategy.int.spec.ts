import { Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventPattern } from '@nestjs/microservices';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { SharedReadingOptions, SharedSubscription } from '../kafka/shared-reading.js';
import { StoredRecord, type RecordBatch } from '../index.js';
import { SharedLogStrategy, transports } from './index.js';

const seen: string[] = [];

@Controller()
class Readers {
  @EventPattern<Record<string, RecordBatch>>('t', transports.projector)
  async projector({ records }: RecordBatch): Promise<void> {
    await new Promise(setImmediate);
    if (records[0]!.key === 'poison') throw new Error('a bug');
    seen.push(...records.map(({ key }) => key));
  }
}

@Module({ controllers: [Readers] })
class App {}

/** Hands over what a group would. */
class Share {
  options!: SharedReadingOptions;
  fail!: (error: Error) => void;
  isClosed = false;

  followShared(options: SharedReadingOptions): SharedSubscription {
    this.options = options;
    const failed = new Promise<never>((_, reject) => (this.fail = reject));
    return { held: {}, failed, beginAnew: () => {}, close: async () => void (this.isClosed = true) };
  }
}

const batch = (topic: string, key: string): RecordBatch => ({
  topic,
  partition: 0,
  records: [new StoredRecord(topic, 0, 0, 0, 0, key, Buffer.from('{}'), {})],
});

it('K11 hands the batches of its share to the handlers, waits for them, and tells what they throw and why reading stopped', async () => {
  const share = new Share();
  const stopped: Error[] = [];
  const strategy = new SharedLogStrategy({
    transport: transports.projector,
    log: share,
    group: 'g',
    topics: ['t'],
    placesOf: async () => ({}),
    onStopped: (error) => stopped.push(error),
  });
  const app = await NestFactory.create(App, new FastifyAdapter(), { logger: false });
  await app.connectMicroservice({ strategy }).listen();
  expect(share.options).toMatchObject({ group: 'g', topics: ['t'] });
  await share.options.deliver(batch('t', 'a'));
  expect(seen).toEqual(['a']);
  await share.options.deliver(batch('nobody reads it', 'b'));
  await expect(share.options.deliver(batch('t', 'poison'))).rejects.toBeTruthy();
  share.fail(new Error('lost'));
  await new Promise(setImmediate);
  expect(stopped).toEqual([expect.objectContaining({ message: 'lost' })]);
  await app.close();
  expect(share.isClosed).toBe(true);
});
