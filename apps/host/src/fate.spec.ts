import { DoorledgerError } from '@doorledger/contracts';
import { Fate } from './fate.js';

const named = (code: string) => new DoorledgerError(code, `The sentence of ${code}.`);
/** As a reader tells of what its receiver threw. */
const wrapped = (cause: unknown) => new Error('A batch could not be applied.', { cause });

async function isSealed(fate: Fate): Promise<unknown> {
  return Promise.race([fate.isSealed.catch((error: unknown) => error), new Promise((resolve) => setImmediate(resolve, 'up'))]);
}

it.each(['ERR_BATCH_UNREADABLE', 'ERR_HISTORY_LOST'])(
  'K12 and K13 keep a process up that stopped at %s, with its sentence for /ready',
  async (code) => {
    const fate = new Fate();
    fate.readingStopped(named(code));
    expect(await isSealed(fate)).toBe('up');
    expect(fate.problems).toEqual([`The sentence of ${code}.`]);
  },
);

it.each([
  ['whose log’s writer ended', named('ERR_LOG_STOPPED'), named('ERR_LOG_STOPPED')],
  ['whose ledger somebody else writes', wrapped(named('ERR_LEDGER_TAKEN')), named('ERR_LEDGER_TAKEN')],
  ['that met a bug', wrapped(new TypeError('a bug')), new TypeError('a bug')],
])('ends a process %s, and says why', async (_name, error, cause) => {
  const fate = new Fate();
  fate.readingStopped(error);
  expect(await isSealed(fate)).toEqual(cause);
  expect(fate.problems).toHaveLength(1);
});
