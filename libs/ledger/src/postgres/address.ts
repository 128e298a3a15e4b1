import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { LedgerError } from '../errors.js';

/** How to reach a database. */
export interface PostgresAddress {
  /**
   * `postgres://user:password@host:port/database`, with `sslmode` (`disable`, `require`, `verify-ca`, `verify-full`), `sslrootcert`,
   * `sslcert` and `sslkey` (paths of PEM files) as libpq has them. Without `sslmode`: `verify-full` where certificates are given, else no TLS.
   */
  readonly url: string;
  /** Certificates as PEM text; each counts before a file that the URL names. */
  readonly tls?: PostgresTls;
}

export interface PostgresTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** What the driver is given: it never sees the `ssl…` parameters, for it reads them otherwise than libpq. */
export interface Destination {
  readonly connectionString: string;
  readonly ssl: ConnectionOptions | false;
}

const MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const;
type Mode = (typeof MODES)[number];

/** @throws LedgerError `ERR_DATABASE_ADDRESS`; it never quotes the address, which holds a password */
export function destinationOf({ url, tls = {} }: PostgresAddress): Destination {
  const address = parse(url);
  const [mode, ca, cert, key] = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey'].map((name) => take(address, name));
  const pem = {
    ca: tls.ca ?? fileOf('sslrootcert', ca),
    cert: tls.cert ?? fileOf('sslcert', cert),
    key: tls.key ?? fileOf('sslkey', key),
  };
  const isGiven = Object.values(pem).some((text) => text !== undefined);
  return { connectionString: address.href, ssl: sslOf(modeOf(mode) ?? (isGiven ? 'verify-full' : 'disable'), pem) };
}

function parse(url: string): URL {
  if (/^postgres(ql)?:/.test(url) && URL.canParse(url)) return new URL(url);
  throw new LedgerError('ERR_DATABASE_ADDRESS', 'The database address is not of the form postgres://user:password@host:port/database.');
}

function take(address: URL, name: string): string | undefined {
  const value = address.searchParams.get(name) ?? undefined;
  address.searchParams.delete(name);
  return value;
}

function modeOf(given: string | undefined): Mode | undefined {
  if (given === undefined) return undefined;
  const mode = MODES.find((m) => m === given);
  if (mode) return mode;
  throw new LedgerError('ERR_DATABASE_ADDRESS', `The database address needs an sslmode that is one of ${MODES.join(', ')}.`);
}

function sslOf(mode: Mode, pem: PostgresTls): ConnectionOptions | false {
  if (mode === 'disable') return false;
  if (mode === 'verify-full') return { ...pem };
  // libpq: with a root certificate at hand, `require` checks the chain too.
  const isChecked = mode === 'verify-ca' || pem.ca !== undefined;
  return { ...pem, rejectUnauthorized: isChecked, checkServerIdentity: () => undefined };
}

function fileOf(name: string, path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new LedgerError('ERR_DATABASE_ADDRESS', `The file that ${name} of the database address names cannot be read.`, { cause });
  }
}
