import { nearest } from './nearest.js';
import type { SettingInfo } from './setting.js';
import type { Sourced, SourcedValues } from './sourced.js';

const PREFIX = 'DOORLEDGER_';

/** An empty variable counts as one that is not set: compose files and shells cannot leave one out. */
export function readEnvironment(env: NodeJS.ProcessEnv, settings: readonly SettingInfo[]): { values: SourcedValues; warnings: string[] } {
  const byName = new Map(settings.map((setting) => [setting.env, setting]));
  const values = new Map<string, Sourced>();
  const warnings: string[] = [];
  for (const [name, text] of Object.entries(env)) {
    if (!name.startsWith(PREFIX) || !text) continue;
    const setting = byName.get(name);
    if (setting) values.set(setting.path, { value: setting.kind.fromText(text), origin: `environment variable ${name}` });
    else warnings.push(unknownName(name, byName.keys()));
  }
  return { values, warnings };
}

function unknownName(name: string, known: Iterable<string>): string {
  const bare = [...known].map((full) => full.slice(PREFIX.length));
  const near = nearest(name.slice(PREFIX.length), bare);
  return `The environment variable ${name} is no setting and is ignored${near ? `; did you mean ${PREFIX}${near}?` : '.'}`;
}
