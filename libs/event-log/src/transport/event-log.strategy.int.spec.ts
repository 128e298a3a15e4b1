import { Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventPattern } from '@nestjs/microservices';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { INestApplication } from '@nestjs/common';
import { MemoryLog } from '../testing/memory-log.js';
import type { RecordBatch } from '../index.js';
import { EventLogStrategy, transports } from './index.js';

const seen: string[] = [];
let fault: Error | undefined;

@Controller()
class Readers {
  @EventPattern<Record<string, RecordBatch>>('t', transports.projector)
  async projector({ records }: RecordBatch): Promise<void> {
    await new Promise(setImmediate);
    if (fault) throw fault;
    seen.push(...records.map((r) => `projector ${r.key}`));
  }

  @EventPattern<Record<string, RecordBatch>>('t', transports.hostTail)
  hostTail({ records }: RecordBatch): void {
    seen.push(...records.map((r) => `host ${r.key}`));
  }
}

@Module({ controllers: [Readers] })
class App {}

let app: INestApplication;
let log: MemoryLog;
const problems: { stopped: boolean }[] = [];
const record = (key: string) => ({ key, value: Buffer.from('{}'), headers: {} });

async function start() {
  seen.length = 0;
  problems.length = 0;
  fault = undefined;
  log = new MemoryLog({ t: 1 });
  app = await NestFactory.create(App, new FastifyAdapter(), { logger: false });
  const strategies = Object.values(transports).map(
    (transport) =>
      new EventLogStrategy({ transport, log, from: async () => ({ t: [0] }), watchMs: 10_000, onProblem: (p) => problems.push(p) }),
  );
  for (const strategy of strategies) app.connectMicroservice({ strategy });
  await app.startAllMicroservices();
  return strategies;
}
afterEach(() => app.close());

it('K2 hands each batch to the handler of its topic and its own reader, once, and waits for it', async () => {
  const [projector, hostTail] = await start();
  await log.append('t', [record('a')]);
  await log.append('t', [record('b')]);
  await Promise.all([projector!.tail!.catchUp(2000), hostTail!.tail!.catchUp(2000)]);
  expect(seen.filter((s) => s.startsWith('host'))).toEqual(['host a', 'host b']);
  expect(seen.filter((s) => s.startsWith('projector'))).toEqual(['projector a', 'projector b']);
  expect(projector!.tail!.applied).toEqual({ t: [2] });
});

it('K12 stops the reader whose handler throws, and no other', async () => {
  const [projector, hostTail] = await start();
  fault = new Error('a bug');
  await log.append('t', [record('a')]);
  expect(await hostTail!.tail!.catchUp(2000)).toBe(true);
  while (!projector!.tail!.stoppedBy) await new Promise(setImmediate);
  expect(projector!.tail!.applied).toEqual({ t: [0] });
  expect(hostTail!.tail!.stoppedBy).toBeUndefined();
  expect(problems).toEqual([expect.objectContaining({ stopped: true })]);
});
