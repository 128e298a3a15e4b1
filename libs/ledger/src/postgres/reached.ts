import { LedgerError } from '../errors.js';

/** SQLSTATEs of a connection that is lost or cannot be made, and of a server that starts, stops or has none left: it may answer a moment later. */
const BUSY = /^(08...|57P0[1-5]|53300)$/;
/** What it says to a wrong user, password, database or certificate, and to a user without the right to make schemas. */
const REFUSED = /^(28|3D000|42501)/;
const SYSTEM = /^E(CONN|HOST|NET|TIMEDOUT|PIPE|NOTFOUND|AI_AGAIN)/;
const CERTIFICATE = /CERT|LEAF_SIGNATURE|^ERR_(SSL|TLS)|^EPROTO/;

/**
 * Names what keeps its caller from the database.
 * @throws LedgerError `ERR_DATABASE_AWAY`: worth waiting for; `ERR_DATABASE_REFUSED`: a person has to mend it
 */
export async function reached<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    const { code = '', message = '' } = cause as { readonly code?: string; readonly message?: string };
    if (REFUSED.test(code) || CERTIFICATE.test(code) || /does not support SSL/.test(message))
      throw new LedgerError(
        'ERR_DATABASE_REFUSED',
        'The database refuses the connection or lacks a right (CREATE on the database): check databaseUrl, its user and its certificates.',
        { cause },
      );
    if (BUSY.test(code) || SYSTEM.test(code) || /terminated|timeout|connection error/i.test(message))
      throw new LedgerError('ERR_DATABASE_AWAY', 'The database does not answer: start it, or correct databaseUrl.', { cause });
    throw cause;
  }
}
