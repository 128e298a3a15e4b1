import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url);
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
  const { transformSync } = await import('@swc/core');
  const filename = fileURLToPath(url);
  return { format: 'module', source: transformSync(readFileSync(filename, 'utf8'), { ...options, filename }).code, shortCircuit: true };
}
