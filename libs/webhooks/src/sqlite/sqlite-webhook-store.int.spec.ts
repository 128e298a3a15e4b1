import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { webhookStoreContract } from '../testing/webhook-store.contract.js';
import { openSqliteWebhookStore } from './sqlite-webhook-store.js';

const dirs: string[] = [];
afterAll(() => dirs.forEach((dir) => rmSync(dir, { recursive: true })));

webhookStoreContract('sqlite', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'doorledger-webhooks-'));
  dirs.push(dir);
  return openSqliteWebhookStore(dir);
});
