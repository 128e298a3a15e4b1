import type { LogPositions } from '@doorledger/event-log';
import type { Digest } from './digest.js';
import type { LedgerStore } from './store.js';

export interface KnownDigest extends Digest {
  readonly generation: number;
  readonly positions: LogPositions;
}

/** Held while a generation is built beside the live one. */
export interface BuildingHold {
  close(): Promise<void>;
}

export interface OpenGeneration {
  readonly store: LedgerStore;
  readonly generation: number;
}

/** Files answer at once, a database later: await every answer. */
type Answer<T> = T | Promise<T>;

/** The ledger's generations, one of them live (design §5), on whatever engine. */
export interface Generations {
  /** Which ledger this is, however often it is rebuilt; undefined for one that a single process writes. */
  readonly ledgerId?: string;
  /** The live generation; undefined before the first. */
  readonly live: Answer<number | undefined>;
  /**
   * Opens the live generation for the projector. A missing one, and one of an earlier schema or fold, is made anew and empty:
   * the projector then folds the log from its start.
   */
  openLive(): Answer<OpenGeneration>;
  /**
   * The live generation beside the processes that write it.
   * @throws LedgerError `ERR_LEDGER_MISSING`
   */
  openLiveReader(): Answer<OpenGeneration>;
  /**
   * A generation that a replay has built, to write on.
   * @throws LedgerError `ERR_LEDGER_MISSING`
   */
  openBuilt(generation: number): Answer<LedgerStore>;
  /**
   * Of two that build a generation of one ledger the second is refused (X0); the hold of a process that ended has ended with it.
   * @throws LogRefusedError `ERR_DATA_IN_USE`, LedgerError `ERR_LEDGER_BUILDING`
   */
  holdBuilding(): Answer<BuildingHold>;
  /** The generation a replay builds beside the live one; what an interrupted replay left of it is kept, if it can be. */
  openNext(): Answer<OpenGeneration>;
  /** The digest that the last replay found for a generation, and the places it is of. */
  readonly knownDigest: Answer<KnownDigest | undefined>;
  rememberDigest(digest: KnownDigest): Answer<void>;
  /** Makes a generation the live one. Those before it go, at the latest with the next switch. */
  switchTo(generation: number): Answer<void>;
  discard(generation: number): Answer<void>;
}
