import { settingsOf } from './setting.js';

/** A plain copy of a configuration in which a secret that is set, in whatever section, reads `[secret]`. */
export function redacted(config: object): Record<string, unknown> {
  const settings = settingsOf(config.constructor as new () => object);
  const secrets = new Set(settings.flatMap(({ secret, path }) => (secret ? [path] : [])));
  const isSection = (path: string) => settings.some((setting) => setting.path.startsWith(`${path}.`));
  return shown(config, '');

  function shown(section: object, prefix: string): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(section).map(([name, value]: [string, unknown]) => {
        const path = prefix + name;
        if (value !== undefined && secrets.has(path)) return [name, '[secret]'];
        return [name, isSection(path) ? shown(value as object, `${path}.`) : value];
      }),
    );
  }
}
