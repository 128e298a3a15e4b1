import { CENSUS_DIMENSIONS, LedgerError, type CensusDimension, type CensusRequest } from '@doorledger/ledger';

const HOUR_MS = 3_600_000;

const windows: ReadonlyMap<string, number> = new Map([
  ['minute', HOUR_MS / 60],
  ['hour', HOUR_MS],
  ['day', 24 * HOUR_MS],
]);

const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

const refused = (message: string): LedgerError => new LedgerError('ERR_INVALID_QUERY', message);

interface Asked {
  readonly by?: string;
  readonly from?: string;
  readonly to?: string;
  readonly window?: string;
}

/**
 * Reads the parameters of a census: `by=outcome,cause,door`, times as RFC 3339, `window=minute|hour|day`.
 * @throws LedgerError `ERR_INVALID_QUERY`
 */
export function readCensusRequest({ by, from, to, window }: Asked, now: number): CensusRequest {
  const until = to === undefined ? now : timeOf('to', to);
  const windowMs = window === undefined ? undefined : windows.get(window);
  if (window !== undefined && windowMs === undefined) throw refused(`window is one of ${[...windows.keys()].join(', ')}.`);
  return {
    by: by === undefined ? ['outcome'] : dimensionsOf(by),
    from: from === undefined ? until - HOUR_MS : timeOf('from', from),
    to: until,
    ...(windowMs !== undefined && { windowMs }),
  };
}

function dimensionsOf(by: string): CensusDimension[] {
  const wanted = by.split(',') as CensusDimension[];
  if (wanted.every((name) => CENSUS_DIMENSIONS.includes(name)) && new Set(wanted).size === wanted.length) return wanted;
  throw refused(`by is a list of ${CENSUS_DIMENSIONS.join(', ')}, each at most once.`);
}

function timeOf(name: string, text: string): number {
  const ms = ISO_TIME.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(ms) || ms < 0) throw refused(`${name} is a time such as 2026-01-15T09:30:00Z.`);
  return ms;
}
