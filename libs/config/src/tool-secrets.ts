import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError } from './config-error.js';

const REFERENCE = /\$\{(env|file):([^}]+)\}/g;

/**
 * Values with `${env:NAME}` and `${file:PATH}` put in (M6); a file's last line break is left out.
 * @throws ConfigError that names their owner and what is missing, never a value
 */
export function withSecrets(
  /** Whose they are, as a sentence begins: `Tool server mail`. */
  owner: string,
  values: Readonly<Record<string, string>>,
  { env, base }: { readonly env: NodeJS.ProcessEnv; readonly base: string },
): Record<string, string> {
  const problems: string[] = [];
  const read = (kind: string, name: string): string => {
    if (kind === 'env') {
      const value = env[name];
      if (value === undefined || value === '') problems.push(`${owner} needs the environment variable ${name}.`);
      return value ?? '';
    }
    try {
      return readFileSync(resolve(base, name), 'utf8').replace(/\r?\n$/, '');
    } catch (error) {
      problems.push(`${owner} needs the file ${name} (${(error as NodeJS.ErrnoException).code ?? 'unreadable'}).`);
      return '';
    }
  };
  const filled = Object.fromEntries(
    Object.entries(values).map(([name, text]) => [name, text.replace(REFERENCE, (_, kind: string, of: string) => read(kind, of))]),
  );
  if (problems.length > 0) throw new ConfigError(problems);
  return filled;
}
