import { setFlagsFromString } from 'node:v8';
import type { DoorledgerConfig } from '@doorledger/config';
import { createLogger } from '@doorledger/observability';
import type { ExitCode } from '../command-context.js';
import type { StartApp } from '../started-app.js';
import { StopSignals } from '../stop-signals.js';

/** An app keeps `closeTimeoutMs` itself; this is what it may take beyond to stop sockets and files. */
const GRACE_MS = 1_500;

/**
 * By itself the heap grows fourfold between two full collections. A burst of requests outlives the young generation, so a flood is found
 * there as memory although nothing of it is kept (E6).
 */
const HEAP_GROWS_BY_PERCENT = 30;

const tell = (line: string) => process.stderr.write(`${line}\n`);

/**
 * Runs an app until one SIGTERM or SIGINT, or until `done` resolves, then closes it (R2). A second signal, or a close that hangs, ends the
 * process with 1.
 */
export async function serve(
  load: () => Promise<{ readonly start: StartApp }>,
  config: DoorledgerConfig,
  done: Promise<void> = new Promise(() => undefined),
): Promise<ExitCode> {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWS_BY_PERCENT}`);
  const signals = new StopSignals();
  const logger = createLogger(config.logging);
  try {
    const { start } = await load();
    const starting = start(config, logger);
    await Promise.race([starting.then((app) => !signals.isStopping && app.lines.forEach(tell)), signals.first]);
    const refused = await Promise.race([signals.first, done, starting.then((app) => app.failed ?? signals.first)]).then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    if (refused) {
      await starting.then((app) => app.close());
      throw refused.error;
    }
    logger.info('Closing: running turns are finished first. A second signal ends them.');
    const end = await signals.orSecond(
      starting.then((app) => app.close()),
      config.closeTimeoutMs + GRACE_MS,
    );
    if (end === 'done') return 0;
    logger.error(
      end === 'forced' ? 'Ended by a second signal; running turns were cut off.' : 'Closing took too long; running turns were cut off.',
    );
    logger.flush();
    process.exit(1);
  } finally {
    signals.release();
  }
}
