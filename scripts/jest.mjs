// Runs Jest so that every child process and worker thread of a test can load the TypeScript sources.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const NODE_OPTIONS = [process.env.NODE_OPTIONS, `--import=${new URL('../test/child/register.mjs', import.meta.url).href}`]
  .filter(Boolean)
  .join(' ');
const { status, signal } = spawnSync(process.execPath, [at('node_modules/jest/bin/jest.js'), ...process.argv.slice(2)], {
  stdio: 'inherit',
  cwd: at('.'),
  env: { ...process.env, NODE_OPTIONS },
});
process.exit(status ?? (signal ? 1 : 0));
