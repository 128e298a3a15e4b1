import { settingsOf } from './setting.js';

/** A plain copy of a configuration in which a secret that is set reads `[secret]`. */
export function redacted(config: object): Record<string, unknown> {
  const secrets = new Set(
    settingsOf(config.constructor as new () => object)
      .filter((setting) => setting.secret)
      .map((setting) => setting.path),
  );
  return Object.fromEntries(
    Object.entries(config).map(([name, value]) => [name, value !== undefined && secrets.has(name) ? '[secret]' : (value as unknown)]),
  );
}
