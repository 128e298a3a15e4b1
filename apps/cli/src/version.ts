import { readFileSync } from 'node:fs';

/** The package's version: package.json stands three folders up from the sources, four from `dist`. */
export function version(): string {
  for (const up of ['../../../package.json', '../../../../package.json']) {
    try {
      return (JSON.parse(readFileSync(new URL(up, import.meta.url), 'utf8')) as { version: string }).version;
    } catch {
      // Not here: the other place.
    }
  }
  return 'unknown';
}
