import { referencePage, settings } from '@doorledger/config';
import type { ExitCode } from '../command-context.js';
import type { Options } from '../command-line.js';
import type { Output } from '../output.js';
import { configOf, explainedConfigOf } from '../setting-flags.js';

/** @throws ConfigError with everything that is wrong. */
export function check(options: Options): Promise<ExitCode> {
  configOf(options, true);
  process.stderr.write('The configuration is right.\n');
  return Promise.resolve(0);
}

/** One JSON document: the settings by name, or with `--origins` one line per setting. */
export async function print(options: Options, output: Output): Promise<ExitCode> {
  const { config, origins } = explainedConfigOf(options);
  const shown = config.toJSON() as Record<string, unknown>;
  if (options.origins !== true) {
    await output.line(JSON.stringify(shown, null, 2));
    return 0;
  }
  for (const { path } of settings) {
    const value = path.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], shown);
    await output.json({ setting: path, value: value ?? null, origin: origins.get(path) ?? 'default' });
  }
  return 0;
}

export async function reference(output: Output): Promise<ExitCode> {
  await output.line(referencePage(settings).trimEnd());
  return 0;
}
