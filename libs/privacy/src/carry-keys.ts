import { ContentError } from './errors.js';
import type { KeyStore } from './key-store.js';

const PAGE = 500;

/**
 * Copies every content key, wrapped as it is, and what is left of erased ones, to a store whose log goes on with the content sealed under them (X1, X5). What is there already
 * stays; each row is read back. Returns how many there are.
 * @throws ContentError `ERR_KEYS_DIFFER` where the other store has another key for one of the owners
 */
export async function carryKeys(
  from: Pick<KeyStore, 'page' | 'erased'>,
  to: Pick<KeyStore, 'insertIfAbsent' | 'learnErased'>,
): Promise<number> {
  let carried = 0;
  for (let rows = await from.page('', PAGE); rows.length > 0; rows = await from.page(rows.at(-1)!.keyId, PAGE)) {
    const stored = await to.insertIfAbsent(rows);
    const isSame = rows.every((row, i) => stored[i]?.keyId === row.keyId && stored[i].wrapped.equals(row.wrapped));
    if (!isSame)
      throw new ContentError('ERR_KEYS_DIFFER', 'The database holds content keys of another log: name an empty database, and move again.');
    carried += rows.length;
  }
  for (let gone = await from.erased('', PAGE); gone.length > 0; gone = await from.erased(gone.at(-1)!.keyId, PAGE))
    await to.learnErased(gone);
  return carried;
}
