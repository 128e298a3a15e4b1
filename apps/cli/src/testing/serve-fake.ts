import { loadConfig } from '@doorledger/config';
import { serve } from '../commands/serve.js';
import { tell } from '../refusal.js';

/** `serve` with an app whose start or close does what the first argument names. */
const never = () => new Promise<never>(() => setInterval(() => undefined, 1000));
const app = (close: () => Promise<void>) => ({ lines: ['Started.', 'Try: curl'], close });
const holdOpen = setInterval(() => undefined, 1000);
const closed = () => {
  clearInterval(holdOpen);
  process.stderr.write('closed once\n');
  return Promise.resolve();
};
const portTaken = Object.assign(new Error('secret text'), { code: 'EADDRINUSE', port: 8080 });

const starts = {
  well: () => Promise.resolve(app(closed)),
  'hangs in close': () => Promise.resolve(app(never)),
  'hangs in start': () => {
    process.stderr.write('starting\n');
    return never();
  },
  'port taken': () => Promise.reject(portTaken),
};

const start = starts[process.argv[2] as keyof typeof starts];
serve(() => Promise.resolve({ start }), loadConfig()).then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    clearInterval(holdOpen);
    tell(error);
    process.exitCode = 1;
  },
);
