import { emptySession } from '@doorledger/event-log';
import { endOfTurn } from './earlier-turn.js';

const turnId = '00000000-0000-4000-8000-000000000001';
const ask = { requestId: 'r', turnId } as never;

/** How a turn ended whose ledger row says this. */
const endOf = (row: object) =>
  endOfTurn('session', turnId, {
    view: { hold: async () => ({ state: emptySession, release: () => {} }) as never },
    ledger: { turn: async () => ({ error_code: null, error_name: null, ...row }) as never },
    pendingOf: async () => ask,
    outputOf: async () => 'the answer',
  });

it.each([
  ['completed', { status: 'completed' }, { kind: 'complete', output: 'the answer' }],
  ['paused', { status: 'paused' }, { kind: 'awaiting', status: 202, ask }],
  ['lapsed', { status: 'abandoned' }, { status: 409, code: 'ERR_TURN_ABANDONED' }],
  ['ended by a restart', { status: 'failed', error_name: 'HostRestarted' }, { status: 409, code: 'ERR_TURN_ABANDONED' }],
  [
    'failed by its bound',
    { status: 'failed', error_code: 'ERR_TURN_BOUND', error_name: 'TurnError' },
    { status: 500, code: 'ERR_TURN_BOUND' },
  ],
  ['failed for want of the log', { status: 'failed', error_code: 'ERR_LOG_UNREACHABLE' }, { status: 503, code: 'ERR_LOG_UNAVAILABLE' }],
  ['failed by an agent', { status: 'failed', error_name: 'RangeError' }, { status: 500, errorName: 'RangeError' }],
])('D18 answers the retry of a turn that was %s as that turn ended', async (_, row, end) => {
  expect(await endOf(row)).toMatchObject({ turnId, ...end });
});
