import { loadConfig, resolveConfig, settings, type ConfigSources, type DoorledgerConfig, type SettingInfo } from '@doorledger/config';
import { InvalidArgumentError, Option, type Command } from 'commander';

/** The settings that a command's own help names; every other one is taken too and told by `doorledger config --help`. */
const NAMED: ReadonlySet<string> = new Set(['data', 'logging.level']);

/** Commander keeps `--door-path` under `doorPath`. */
const optionName = (setting: SettingInfo): string => new Option(`${setting.flag} <value>`).attributeName();

const flags = settings.filter((setting) => setting.flag !== undefined);

function nonEmpty(value: string): string {
  if (value === '') throw new InvalidArgumentError('It needs a value.');
  return value;
}

/** Lets a command take `--config FILE` and every setting as a flag. `named` are further settings its help shows. */
export function addSettingFlags(command: Command, named: readonly string[] = []): Command {
  command.option('-c, --config <file>', 'configuration file (doorledger.config.yaml when there is one)', nonEmpty);
  for (const setting of flags) {
    const option = new Option(`${setting.flag} <value>`, setting.about).argParser(nonEmpty);
    command.addOption(NAMED.has(setting.path) || named.includes(setting.path) ? option : option.hideHelp());
  }
  return command;
}

export const allFlagPaths: readonly string[] = flags.map((setting) => setting.path);

export function sourcesOf(options: Readonly<Record<string, unknown>>): ConfigSources {
  const given = flags.flatMap((setting) => {
    const text = options[optionName(setting)];
    return typeof text === 'string' ? [[setting.path, text] as const] : [];
  });
  return {
    flags: Object.fromEntries(given),
    ...(typeof options.config === 'string' && { file: options.config }),
    warn: (sentence) => process.stderr.write(`doorledger: ${sentence}\n`),
  };
}

export const configOf = (options: Readonly<Record<string, unknown>>, needsKey: boolean): DoorledgerConfig =>
  loadConfig({ ...sourcesOf(options), needsKey });

export const explainedConfigOf = (options: Readonly<Record<string, unknown>>) => resolveConfig(sourcesOf(options));
