import { hostname } from 'node:os';
import { dirname, resolve } from 'node:path';
import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { ConfigError } from './config-error.js';
import { readConfigFile } from './config-file.js';
import { DoorledgerConfig } from './doorledger-config.js';
import { readEnvironment } from './environment.js';
import { missingPartners, unusedPartners } from './partners.js';
import { settingsOf, type SettingInfo } from './setting.js';
import type { Sourced } from './sourced.js';
import { strayRules } from './tool-rules.js';

/** Where settings come from, each source over the one before: defaults, the file, the environment, flags. */
export interface ConfigSources {
  /** The path given with `--config`; without one, `doorledger.config.yaml` in `cwd` is read if it exists. */
  readonly file?: string;
  /** Texts of flags by setting path: `{ 'door.path': '/ask' }`. */
  readonly flags?: Readonly<Record<string, string>>;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** False for who neither seals nor opens anything: beside a cluster no deployment key is asked for. */
  readonly needsKey?: boolean;
  /** Called with one sentence per thing that is odd but no error. */
  readonly warn?: (sentence: string) => void;
}

export const settings: readonly SettingInfo[] = settingsOf(DoorledgerConfig);

/**
 * The configuration of this process, frozen; `data` is an absolute path.
 * @throws ConfigError `ERR_CONFIG` with every problem at once.
 */
export function loadConfig(sources: ConfigSources = {}): DoorledgerConfig {
  return resolveConfig(sources).config;
}

/** The same, with the place each setting that is not a default comes from. */
export function resolveConfig({
  file,
  flags = {},
  env = process.env,
  cwd = process.cwd(),
  needsKey = true,
  warn = () => undefined,
}: ConfigSources): {
  config: DoorledgerConfig;
  origins: ReadonlyMap<string, string>;
} {
  const fromFile = readConfigFile(cwd, file, settings);
  const fromEnv = readEnvironment(env, settings);
  for (const sentence of fromEnv.warnings) warn(sentence);
  const values = new Map<string, Sourced>([...fromFile.values, ...fromEnv.values, ...readFlags(flags)]);
  const config = plainToInstance(DoorledgerConfig, nested(values));
  Object.assign(
    config,
    withComputed(config, fromFile.values.get('data') === values.get('data') && file ? dirname(resolve(cwd, file)) : cwd),
  );
  const wrong = wrongValues(validateSync(config), values);
  const stray = wrong.length === 0 ? strayRules(config.tools.rules, config.tools.servers) : [];
  const problems = [...fromFile.problems, ...wrong, ...stray, ...missingPartners(config, needsKey)];
  if (problems.length > 0) throw new ConfigError(problems);
  for (const sentence of unusedPartners(config)) warn(sentence);
  return { config: freeze(config), origins: new Map([...values].map(([path, { origin }]) => [path, origin])) };
}

function readFlags(flags: Readonly<Record<string, string>>): [string, Sourced][] {
  return settings.flatMap(({ path, flag, kind }): [string, Sourced][] => {
    const text = flags[path];
    return text === undefined || !flag ? [] : [[path, { value: kind.fromText(text), origin: `flag ${flag}` }]];
  });
}

function nested(values: ReadonlyMap<string, Sourced>): object {
  const plain: Record<string, unknown> = {};
  for (const [path, { value }] of values) {
    const [first = '', second] = path.split('.');
    if (second === undefined) plain[first] = value;
    else ((plain[first] ??= {}) as Record<string, unknown>)[second] = value;
  }
  return plain;
}

/** What a default cannot say, because it depends on other settings or on the machine. */
function withComputed(config: DoorledgerConfig, base: string): Partial<DoorledgerConfig> {
  return {
    // A port that is no number is told of once, not again as part of a name.
    hostId: config.hostId ?? `${hostname()}-${Number(config.port) || 0}`,
    ...(typeof config.data === 'string' && config.data && { data: resolve(base, config.data) }),
  };
}

function wrongValues(errors: readonly ValidationError[], values: ReadonlyMap<string, Sourced>, prefix = ''): string[] {
  return errors.flatMap(({ property, constraints, children = [] }) => {
    const path = prefix + property;
    if (!constraints) return wrongValues(children, values, `${path}.`);
    const origin = values.get(path)?.origin ?? 'its default: set it yourself';
    return Object.values(constraints).map((must) => `${path} ${must} (${origin}).`);
  });
}

function freeze(config: DoorledgerConfig): DoorledgerConfig {
  for (const value of Object.values(config)) Object.freeze(value);
  return Object.freeze(config);
}
