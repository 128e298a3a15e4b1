import { randomBytes } from 'node:crypto';

/**
 * The row that ties a main file to its write-ahead file (K14). Every transaction replaces it by one that names the one before: a
 * write-ahead file belongs to a main file exactly when the chain of its markers runs through the main file's, and then it holds
 * all that the main file was ever told. (But for one case: a checkpoint that a long reader held up copies later pages, and not
 * the marker's. Such a main file beside an older copy of its own write-ahead file is not seen here; `doorledger verify` sees it.)
 */
export interface WalMarker {
  /** UUID of the file, made at its creation and kept by its copies. */
  readonly fileId: string;
  /** 24 hex digits that no other transaction has: random ones of the connection, and its count. */
  readonly link: string;
  /** The link of the marker this one replaced. */
  readonly previous: string;
}

const PREFIX = 'doorledger-wal:';
const FORM = /^doorledger-wal:([0-9a-f-]{36}):([0-9a-f]{24}):([0-9a-f]{24})$/;
const LINK_AT = PREFIX.length + 36 + 1;
const LINK_LENGTH = 24;
/** Every marker has this length, so that a new one overwrites the old one in place and leaves no trace of it on the page. */
const LENGTH = LINK_AT + LINK_LENGTH + 1 + LINK_LENGTH;

/** The first table of a file has its root on page 2, so the marker is found without SQLite. */
export const MARKER_PAGE = 2;
export const MARKER_TABLE = 'CREATE TABLE file_marker (id INTEGER PRIMARY KEY CHECK (id = 1), marker TEXT NOT NULL)';

/** Makes the links of one connection. */
export function linkSource(): () => string {
  const connection = randomBytes(8).toString('hex');
  let count = 0;
  return () => connection + (count++ >>> 0).toString(16).padStart(8, '0');
}

export const firstMarker = (fileId: string): WalMarker => ({ fileId, link: linkSource()(), previous: '0'.repeat(24) });

/** Replaces the marker by the next one; the link is the parameter. In SQL alone: it is part of every commit's wait. */
export const NEXT_MARKER = `UPDATE file_marker SET marker = substr(marker, 1, ${LINK_AT}) || ? || ':' || substr(marker, ${LINK_AT + 1}, ${LINK_LENGTH})`;

export const markerText = ({ fileId, link, previous }: WalMarker): string => `${PREFIX}${fileId}:${link}:${previous}`;

/** The marker in its row. */
export function markerOf(text: string): WalMarker {
  const marker = parse(text);
  if (!marker) throw new Error('The row of file_marker does not hold a marker.');
  return marker;
}

/** The marker on a raw page image. */
export function markerOnPage(page: Buffer): WalMarker | undefined {
  const at = page.lastIndexOf(PREFIX, undefined, 'latin1');
  return at < 0 ? undefined : parse(page.toString('latin1', at, at + LENGTH));
}

function parse(text: string): WalMarker | undefined {
  const found = FORM.exec(text);
  return found ? { fileId: found[1]!, link: found[2]!, previous: found[3]! } : undefined;
}
