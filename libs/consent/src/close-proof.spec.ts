import { whatBecame, type RequestRow } from './became.js';
import { closeStatement, type CloseFacts } from './close-proof.js';
import { mayHaveBeenUsed, type SpendAppend } from './used.js';

const row = (status: RequestRow['status'], call?: RequestRow['call'], isNotRun = false): RequestRow => ({ status, call, isNotRun });
const facts = (change: Partial<CloseFacts> = {}): CloseFacts => ({
  ids: [{ id: 'q1', row: row('closed') }],
  mintedUnder: 'log-1',
  ledger: 'log-1',
  ...change,
});

describe('mayHaveBeenUsed', () => {
  it.each<[SpendAppend, boolean]>([
    [{ kind: 'judged', stands: true }, true],
    [{ kind: 'judged', stands: false }, true],
    [{ kind: 'unanswered' }, true],
    [{ kind: 'not-taken-up' }, true],
    [{ kind: 'indefinite' }, true],
    [{ kind: 'indefinite', found: true }, true],
    [{ kind: 'indefinite', found: false }, false],
    [{ kind: 'never-appended' }, false],
  ])('N30 says of %j: %s', (append, used) => {
    expect(mayHaveBeenUsed(append)).toBe(used);
  });
});

describe('whatBecame', () => {
  it.each(['declined', 'closed', 'expired', 'unknown', 'void'] as const)(
    'N31 and N34 say of a request that is %s: it never ran, and by what',
    (status) => {
      expect(whatBecame(row(status))).toEqual({ state: 'never-ran', by: status });
    },
  );

  it.each<[RequestRow, string]>([
    [row('pending'), 'pending'],
    [row('approved'), 'under-way'],
    [row('approved', 'open'), 'under-way'],
    [row('approved', 'not-sent'), 'under-way'],
    [row('approved', 'not-sent', true), 'spent-not-run'],
    [row('approved', undefined, true), 'spent-not-run'],
    [row('approved', 'ended'), 'ran'],
    [row('approved', 'outcome-unknown'), 'outcome-unknown'],
    [row('approved', 'ran'), 'ran'],
    [row('approved', 'did-not-run'), 'did-not-run'],
  ])('N22 says of %j: %s', (given, state) => {
    expect(whatBecame(given)).toEqual({ state });
  });
});

describe('closeStatement', () => {
  it('N31 takes a standing close of every id for the proof', () => {
    const ids = [{ id: 'q1', row: row('closed') }, { id: 'q2', row: row('closed') }]; // prettier-ignore
    expect(closeStatement(facts({ ids }))).toEqual({ isProven: true, ids: ['q1', 'q2'] });
  });

  it.each(['acknowledged', 'failed', 'indefinite', undefined] as const)(
    'N32 gives a retried close the same verdict, its own append %s',
    (append) => {
      expect(closeStatement(facts({ append }))).toEqual({ isProven: true, ids: ['q1'] });
    },
  );

  it.each(['approved', 'declined', 'expired'] as const)(
    'N31 and N34 let the standing record speak where the close came second: %s',
    (status) => {
      const became = whatBecame(row(status));
      const ids = [{ id: 'q1', row: row(status) }];
      expect(closeStatement(facts({ ids, append: 'acknowledged' }))).toEqual({ isProven: false, why: 'settled', id: 'q1', became });
    },
  );

  const pending = [{ id: 'q1', row: row('pending') }];
  it.each<[string, Partial<CloseFacts>]>([
    ['no-request-recorded', { ids: [] }],
    ['no-ledger-recorded', { mintedUnder: undefined }],
    ['other-ledger', { mintedUnder: 'log-2' }],
    ['volatile-log', { isLogVolatile: true }],
    ['close-failed', { ids: pending, append: 'failed' }],
    ['close-indefinite', { ids: pending, append: 'indefinite' }],
    ['no-standing-close', { ids: pending, append: 'acknowledged' }],
    ['no-standing-close', { ids: [{ id: 'q1', row: row('closed') }, { id: 'q2' }] }],
    ['no-standing-close', { ids: [{ id: 'q0' }, { id: 'q1', row: row('closed') }] }],
  ])('N33 cannot prove it and says so by name: %s', (why, change) => {
    const statement = closeStatement(facts(change));
    expect(statement).toMatchObject({ isProven: false, why });
    expect(statement).toHaveProperty('sentence', expect.stringMatching(/\.$/));
  });
});
