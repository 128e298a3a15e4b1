import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url);
const cache = new URL('.cache/sources/', root);
const options = {
  jsc: {
    target: 'es2022',
    keepClassNames: true,
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
  },
  module: { type: 'es6' },
  sourceMaps: 'inline',
};
/** What was translated before is read again: a run starts hundreds of processes and threads, and each would load the compiler. */
const version = createHash('sha256')
  .update(readFileSync(fileURLToPath(import.meta.url)))
  .digest('hex');

export function resolve(specifier, context, next) {
  const own = /^@doorledger\/([^/]+)(?:\/([^/]+))?$/.exec(specifier);
  if (own) return { url: new URL(`libs/${own[1]}/src/${own[2] ? `${own[2]}/` : ''}index.ts`, root).href, shortCircuit: true };
  if (/^\.{1,2}\//.test(specifier) && specifier.endsWith('.js') && context.parentURL?.endsWith('.ts')) {
    const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
    if (existsSync(source)) return { url: source.href, shortCircuit: true };
  }
  return next(specifier, context);
}

export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
  return { format: 'module', source: await translated(fileURLToPath(url)), shortCircuit: true };
}

async function translated(filename) {
  const text = readFileSync(filename, 'utf8');
  const kept = new URL(`${createHash('sha256').update(`${version}\n${filename}\n${text}`).digest('hex')}.js`, cache);
  if (existsSync(kept)) return readFileSync(kept, 'utf8');
  const { transformSync } = await import('@swc/core');
  const { code } = transformSync(text, { ...options, filename });
  mkdirSync(cache, { recursive: true });
  const aside = new URL(`${kept.href}.${process.pid}.${Math.random().toString(36).slice(2)}`);
  writeFileSync(aside, code);
  renameSync(aside, kept); // Whole or not at all: others read it at the same time.
  return code;
}
