import { acquireWriterLock, type EventLog } from '@doorledger/event-log';
import { ledgerReader, rebuild, upkeepReader, type Generations, type LedgerStore } from '@doorledger/ledger';
import { ContentKeys, References } from '@doorledger/privacy';
import { operations, type OperationName, type UpkeepParts } from '@doorledger/upkeep';
import type { CommandContext } from './command-context.js';
import { Parts } from './parts.js';
import { askRunning, runningOn } from './running-process.js';

type Fields = Readonly<Record<string, unknown>>;
type Answers = { readonly [N in OperationName]: Awaited<ReturnType<(typeof operations)[N]>> };

/**
 * Has operators' work done by the process that runs on the data folder, or does it under its locks if none does (X4). Beside hosts on Kafka
 * and projectors on PostgreSQL it is one more writer.
 * @throws UpkeepError; DoorledgerError with the running process's own sentence
 */
export async function upkeep<N extends OperationName>(context: CommandContext, name: N, fields: Fields): Promise<Answers[N]> {
  const { config } = context;
  const isShared = config.log === 'kafka' && config.store === 'postgres';
  const running = isShared ? undefined : runningOn(config.data);
  if (running) {
    const answer = await askRunning(running, `/v1/operator/upkeep/${name}`, fields);
    if (answer !== 'absent') return answer as Answers[N];
  }
  const parts = new Parts(context);
  try {
    return (await operations[name](fields, await partsOf(context, parts, isShared))) as Answers[N];
  } finally {
    await parts.close();
  }
}

async function partsOf({ config }: CommandContext, parts: Parts, isShared: boolean): Promise<UpkeepParts> {
  // As a reader first: a writer would make what is not there.
  await parts.log();
  const { openTruth } = await import('../../host/src/open-truth.js');
  const { log, deploymentKey, keyStore } = parts.keep(await openTruth(config, { onWaiting: parts.onWaiting, signal: parts.signal }));
  const generations = await parts.generations();
  const store = isShared ? parts.keep((await generations.openLiveReader()).store) : await ownLedger(config.data, generations, parts);
  const reader = ledgerReader(store, log.topics);
  return {
    log,
    keys: new ContentKeys(deploymentKey, keyStore),
    // Nobody else folds while this process has the locks.
    ledger: isShared ? reader : { ...reader, positions: () => foldAll(log, store).then(() => reader.positions()) },
    records: upkeepReader(store),
    references: new References(deploymentKey),
    origin: { source: `/doorledger/${config.deployment}/operator`, now: Date.now },
  };
}

async function ownLedger(dir: string, generations: Generations, parts: Parts): Promise<LedgerStore> {
  const lock = acquireWriterLock(dir, 'ledger');
  parts.keep({ close: async () => lock.release() });
  return parts.keep((await generations.openLive()).store);
}

async function foldAll(log: EventLog, store: LedgerStore): Promise<void> {
  const names = [...log.topics.keys()];
  const ends = await Promise.all(names.map(async (topic) => (await log.ends(topic)).map(({ end }) => end)));
  await rebuild({ log, store, upTo: Object.fromEntries(names.map((topic, i) => [topic, ends[i]!])) });
}
