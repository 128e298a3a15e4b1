import { createLogger } from '@doorledger/observability';
import { accessOf } from '../../../host/src/access.js';
import type { CommandContext, ExitCode } from '../command-context.js';
import type { Options } from '../command-line.js';
import { thrown, well, wrong, type Finding } from '../doctor/finding.js';
import { folderChecks } from '../doctor/folder-checks.js';
import { ledgerChecks } from '../doctor/ledger-checks.js';
import { clockChecks, identityChecks, isBegun, reachChecks, topicChecks } from '../doctor/log-checks.js';
import { portChecks, processChecks } from '../doctor/process-checks.js';
import { Parts } from '../parts.js';

/** So long brokers or a database are waited for. */
const WAITS_MS = 10_000;

/**
 * Looks at everything that can keep a deployment from serving and changes nothing: settings, folder, disk, log, key, ledger, clock, ports and the
 * running process. Each look is a finding; one that is not well has its mend. 0 only if all are well.
 */
export async function doctor(context: CommandContext, options: Options): Promise<ExitCode> {
  const { config, output, say } = context;
  const findings: Finding[] = [];
  const look = async (about: string, check: () => Finding[] | Promise<Finding[]>) => {
    const found = await Promise.resolve()
      .then(check)
      .catch((error: unknown) => [thrown(about, error)]);
    findings.push(...found);
    if (options.json !== true) for (const finding of found) await output.line(lineOf(finding));
  };
  await look('settings', () => settingChecks(context));
  await look('data folder', () => folderChecks(config));
  await look('topics', () => topicChecks(config));
  await look('log', () => logChecks(context, look));
  await look('port', () => portChecks(config));
  await look('process', () => processChecks(config));
  const isWell = findings.every((finding) => finding.isWell);
  if (options.json === true) await output.json({ isWell, findings });
  else say(isWell ? 'Nothing is wrong.' : `${findings.filter((finding) => !finding.isWell).length} to mend.`);
  return isWell ? 0 : 1;
}

/** What stands open is told by name, as at a start. */
function settingChecks({ config }: CommandContext): Finding[] {
  const { warnings } = accessOf(config, createLogger({ level: 'silent', format: 'json' }));
  return [
    well('settings', `The log is on ${config.log}, the ledger on ${config.store}.`),
    ...warnings.map((warning) => well('settings', warning)),
  ];
}

type Look = (about: string, check: () => Finding[] | Promise<Finding[]>) => Promise<void>;

/** What is asked of the log and of the ledger, each by itself: a ledger that is away says nothing of the log. */
async function logChecks(context: CommandContext, look: Look): Promise<Finding[]> {
  const { config } = context;
  if (!(await isBegun(config))) return [well('log', 'There is none yet: the first start makes it.')];
  let missing: string | undefined;
  const parts = new Parts({ ...context, say: (sentence) => (missing = sentence) }, AbortSignal.timeout(WAITS_MS));
  const reached = async <T>(open: () => Promise<T>): Promise<T | Finding> =>
    open().catch((error: unknown) => (missing === undefined ? Promise.reject(error as Error) : away(missing)));
  try {
    const log = await reached(() => parts.log());
    if ('about' in log) return [log];
    const now = Date.now();
    await look('log', () => reachChecks(log, now));
    await look('key', () => identityChecks(log, config));
    await look('clock', () => clockChecks(log, now));
    await look('ledger', async () => {
      const generations = await reached(() => parts.generations());
      return 'about' in generations ? [generations] : ledgerChecks(log, generations);
    });
    return [];
  } finally {
    await parts.close();
  }
}

const away = (missing: string): Finding => wrong('log', missing, 'Start it, or correct the address that the settings name.');

const lineOf = ({ about, isWell, says, code, mend }: Finding): string =>
  `${isWell ? 'ok   ' : 'WRONG'}  ${about.padEnd(12)} ${says}${code ? ` (${code})` : ''}${mend ? `\n       ${''.padEnd(12)} Mend: ${mend}` : ''}`;
