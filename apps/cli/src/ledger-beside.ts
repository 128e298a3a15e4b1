import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventLog, LogPositions } from '@doorledger/event-log';
import { LedgerGenerations, rebuild, type LedgerStore, type ReplayResult } from '@doorledger/ledger';
import type { CommandContext } from './command-context.js';
import type { Parts } from './parts.js';
import { progressOn } from './progress.js';
import { replayBeside } from './replay-beside.js';

export interface LedgerBeside {
  /** Folded from the log's start; gone when the parts are closed. */
  readonly store: LedgerStore;
  /** Absent where there is no ledger to compare it with. */
  readonly replayed?: ReplayResult;
}

/** A ledger made of the log alone: beside the live one, which it is compared with, else in a temporary folder. */
export async function ledgerBeside({ say }: CommandContext, parts: Parts, log: EventLog): Promise<LedgerBeside> {
  const generations = await parts.generations();
  const { live } = generations;
  if ((await live) === undefined) return { store: await inTemporaryFolder(parts, log) };
  parts.keep(await generations.holdBuilding());
  // What an interrupted replay left would be gone on with: this one starts at the log's start.
  await generations.discard((await live)! + 1);
  const replayed = await replayBeside(log, generations, say);
  const { generation } = replayed.rebuilt;
  parts.keep({ close: async () => generations.discard(generation) });
  return { store: parts.keep(await generations.openBuilt(generation)), replayed };
}

async function inTemporaryFolder(parts: Parts, log: EventLog): Promise<LedgerStore> {
  const dir = mkdtempSync(join(tmpdir(), 'doorledger-verify-'));
  parts.keep({ close: async () => rmSync(dir, { recursive: true, force: true }) });
  const { store } = new LedgerGenerations(dir).openNext();
  parts.keep(store);
  const upTo: Record<string, LogPositions[string]> = {};
  for (const topic of log.topics.keys()) upTo[topic] = (await log.ends(topic)).map(({ end }) => end);
  const progress = progressOn(process.stderr, 'replay');
  await rebuild({ log, store, upTo, onProgress: ({ done, total }) => progress.update(done, total) }).finally(() => progress.stop());
  return store;
}
