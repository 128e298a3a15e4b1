import Database from 'better-sqlite3';
import { ContentKeys, loadDeploymentKey, openContent, openSqliteKeyStore, sealContent } from '@doorledger/privacy';
import { ledgerFile } from './ledger-rows.js';

interface Stored {
  readonly key_id: string;
  readonly sealed: Buffer;
}

/** Changes the sealed state of a paused turn in the ledger of a stopped host, as somebody would who may write it. */
function changeStored(data: string, turnId: string, change: (stored: Stored) => Buffer): void {
  const db = new Database(ledgerFile(data));
  try {
    const where = `WHERE type = 'pause.stored' AND turn_id = ?`;
    const stored = db.prepare<[string], Stored>(`SELECT key_id, sealed FROM message ${where}`).get(turnId)!;
    db.prepare(`UPDATE message SET sealed = ? ${where}`).run(change(stored), turnId);
  } finally {
    db.close();
  }
}

/** It opens no more. */
export function garble(data: string, turnId: string): void {
  changeStored(data, turnId, ({ sealed }) => Buffer.from(sealed.map((byte) => byte ^ 1)));
}

/** It opens, and says something else: the work of somebody who has the keys too. */
export async function rewrite(data: string, turnId: string, from: string, to: string): Promise<void> {
  const store = openSqliteKeyStore(data);
  try {
    const keys = new ContentKeys(loadDeploymentKey({ dir: data, mayCreate: false }), store);
    const place = { type: 'pause.stored', subject: turnId } as const;
    let stored!: Stored;
    changeStored(data, turnId, (read) => (stored = read).sealed);
    const text = await openContent(keys, { keyId: stored.key_id, sealed: stored.sealed.toString('base64') }, place);
    const key = await keys.keyById(stored.key_id);
    const changed = text.toString('utf8').replace(from, to);
    if (changed === text.toString('utf8')) throw new Error('The stored state has no such words.');
    changeStored(data, turnId, () => Buffer.from(sealContent(key, changed, place).sealed, 'base64'));
  } finally {
    await store.close();
  }
}
