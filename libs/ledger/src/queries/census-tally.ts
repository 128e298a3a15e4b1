import { LedgerError } from '../errors.js';
import { isoTime } from './iso-time.js';
import { present } from './present.js';

export const CENSUS_DIMENSIONS = ['outcome', 'cause', 'door'] as const;
export type CensusDimension = (typeof CENSUS_DIMENSIONS)[number];

export interface CensusRequest {
  readonly by: readonly CensusDimension[];
  /** Epoch ms by the doors' clocks: `from` included, `to` not. */
  readonly from: number;
  readonly to: number;
  /** Length of a window in ms; absent for one window. */
  readonly windowMs?: number;
  /** Requests of people who were proven to be of this tenant (tenantRef); absent for everybody's. */
  readonly tenant?: string;
}

/** Requests that are alike in what was asked for. Absent facts are absent keys: what is counted without a verdict (E4) has no outcome. */
export interface CensusItem {
  readonly window?: string;
  readonly outcome?: string;
  /** The token check that failed, else the code, else the error's class; the reason of what is counted without a verdict. */
  readonly cause?: string;
  readonly door?: string;
  readonly requests: number;
  /** Of them with a record of their own, and in exact counts. */
  readonly recorded: number;
  readonly counted: number;
}

const MAX_ITEMS = 5000;

type Dimensions = { readonly [D in CensusDimension]: string | null };
interface Tally extends Dimensions {
  readonly window: number;
  recorded: number;
  counted: number;
}

export const refused = (message: string): LedgerError => new LedgerError('ERR_INVALID_QUERY', message);

/** The sums so far, by what was asked for. */
export class Tallies {
  readonly #request: CensusRequest;
  readonly #tallies = new Map<string, Tally>();

  constructor(request: CensusRequest) {
    this.#request = request;
  }

  at(at: number, dimensions: Dimensions): Tally {
    const { by, from, windowMs } = this.#request;
    const window = windowMs === undefined ? from : at - (at % windowMs);
    let id = String(window);
    for (const name of by) id += `|${dimensions[name] ?? ''}`;
    let tally = this.#tallies.get(id);
    if (!tally) {
      if (this.#tallies.size >= MAX_ITEMS) throw refused('This answer would be too long: ask for a shorter time or for less in `by`.');
      this.#tallies.set(id, (tally = { window, ...dimensions, recorded: 0, counted: 0 }));
    }
    return tally;
  }

  items(): CensusItem[] {
    const { by, windowMs } = this.#request;
    return [...this.#tallies].sort(inOrder).map(([, { window, recorded, counted, ...dimensions }]) => ({
      ...(windowMs !== undefined && { window: isoTime(window) }),
      ...present(Object.fromEntries(by.map((name) => [name, dimensions[name]]))),
      requests: recorded + counted,
      recorded,
      counted,
    }));
  }
}

function inOrder([a, { window: aWindow }]: [string, Tally], [b, { window: bWindow }]: [string, Tally]): number {
  if (aWindow !== bWindow) return aWindow - bWindow;
  return a < b ? -1 : 1;
}
