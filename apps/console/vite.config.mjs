import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { defineConfig } from 'vite';

const outDir = fileURLToPath(new URL('../../dist/apps/console', import.meta.url));

/** Beside each file, what browsers take it as: compressed once, and not for every request. */
const packed = {
  name: 'packed',
  closeBundle: () => {
    for (const name of readdirSync(outDir, { recursive: true, encoding: 'utf8' })) {
      if (!['.html', '.js', '.css', '.svg'].includes(extname(name))) continue;
      const path = join(outDir, name);
      const plain = readFileSync(path);
      const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
      writeFileSync(`${path}.br`, brotliCompressSync(plain, { params }));
      writeFileSync(`${path}.gz`, gzipSync(plain, { level: 9 }));
    }
  },
};

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  publicDir: false,
  logLevel: 'warn',
  plugins: [packed],
  build: {
    outDir,
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
