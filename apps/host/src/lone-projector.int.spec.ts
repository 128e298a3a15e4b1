import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@doorledger/config';
import { createLogger } from '@doorledger/observability';
import { start as startProjector } from '../../projector/src/start.js';
import { start as startHost } from './start.js';

const logger = createLogger({ level: 'silent', format: 'json' });
let dir: string;
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'doorledger-projector-'))));
afterEach(() => rmSync(dir, { recursive: true }));

const config = () => loadConfig({ cwd: dir, env: { DOORLEDGER_DATA: dir, DOORLEDGER_PORT: '0', DOORLEDGER_PROJECTOR_PORT: '0' } });

async function statusOf(url: string): Promise<{ status: number; text: string }> {
  const response = await fetch(url);
  return { status: response.status, text: await response.text() };
}

it('K15 has a projector listen while there is no log yet, say so, and begin by itself when a host has made it', async () => {
  const projector = await startProjector(config(), logger);
  expect(await statusOf(`${projector.url}/health`)).toMatchObject({ status: 200 });
  expect(await statusOf(`${projector.url}/ready`)).toMatchObject({ status: 503, text: expect.stringContaining('There is no log yet') });
  const host = await startHost(config(), logger);
  for (const { url } of [projector, host]) while ((await statusOf(`${url}/ready`)).status !== 200);
  await host.close();
  await projector.close();
});

it('K15 ends a projector at once that waits for a log', async () => {
  const projector = await startProjector(config(), logger);
  await projector.close();
  await expect(fetch(`${projector.url}/health`)).rejects.toThrow();
});
