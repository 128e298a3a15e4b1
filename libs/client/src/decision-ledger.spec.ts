import { Connection } from './connection.js';
import { OtherLedgerError, SpendError, openDecisionLedger } from './decision-ledger.js';

interface Asked {
  readonly path: string;
  readonly body?: { readonly id: string; readonly claimId: string };
}

/** A ledger whose host gives these answers to spends and questions. */
async function ledgerOf(...answers: readonly (object | Error)[]) {
  const asked: Asked[] = [];
  const rest = [{ storeId: 'log-1', namespace: 'default' }, ...answers];
  const fetching = async (url: URL, { body }: { body?: string }) => {
    asked.push({ path: `${url.pathname}${url.search}`, ...(body !== undefined && { body: JSON.parse(body) as Asked['body'] }) });
    const answer = rest.shift()!;
    if (answer instanceof Error) throw answer;
    const { status = 200, ...fields } = answer as { status?: number };
    return new Response(JSON.stringify(fields), { status, headers: status === 503 ? { 'retry-after': '0' } : {} });
  };
  const ledger = await openDecisionLedger(new Connection({ url: 'http://host', attempts: 2, fetch: fetching as unknown as typeof fetch }));
  return { ledger, asked: () => asked.slice(1) };
}
const lost = () => new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNRESET' }) });
const said = (spent: boolean, storeId = 'log-1') => ({ spent, storeId });

it('N41 says what the host said, under the id of its log', async () => {
  const { ledger, asked } = await ledgerOf(said(true), said(false), said(true));
  expect([ledger.storeId, await ledger.spend('7'), await ledger.spend('7'), await ledger.isSpent('..')]).toEqual([
    'log-1',
    true,
    false,
    true,
  ]);
  expect(asked().at(-1)!.path).toBe('/v1/ledger/spent?id=..');
});

it('N40 and N41 ask again with the same claim when an answer is lost, and with another one for another call', async () => {
  const { ledger, asked } = await ledgerOf(lost(), said(true), said(false));
  expect([await ledger.spend('7'), await ledger.spend('7')]).toEqual([true, false]);
  const [first, again, other] = asked().map(({ body }) => body!.claimId);
  expect(again).toBe(first);
  expect(other).not.toBe(first);
});

it.each<[string, (object | Error)[], boolean]>([
  ['answers were lost', [lost(), lost()], true],
  [
    'the log could not say',
    [
      { status: 503, error: 'x', code: 'ERR_LOG_UNAVAILABLE', mayHaveBeenUsed: true },
      { status: 503, error: 'x', code: 'ERR_LOG_UNAVAILABLE', mayHaveBeenUsed: true },
    ],
    true,
  ],
  [
    'the log took nothing',
    [
      { status: 503, error: 'x', code: 'ERR_LEDGER_BEHIND', mayHaveBeenUsed: false },
      { status: 503, error: 'x', code: 'ERR_LEDGER_BEHIND', mayHaveBeenUsed: false },
    ],
    false,
  ],
  [
    'the host has not begun',
    [
      { status: 503, error: 'x', code: 'ERR_HOST_CLOSED' },
      { status: 503, error: 'x', code: 'ERR_HOST_CLOSED' },
    ],
    false,
  ],
  ['the caller is no service', [{ status: 403, error: 'x', code: 'ERR_ROLE_REQUIRED' }], false],
])('N30 and N41 throw, never answer, when %s, and tell whether it may be used up', async (_, answers, mayHaveBeenUsed) => {
  const { ledger } = await ledgerOf(...answers);
  const error = await ledger.spend('7').catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(SpendError);
  expect((error as SpendError).mayHaveBeenUsed).toBe(mayHaveBeenUsed);
});

it('N33 and N41 take no answer of another log', async () => {
  const { ledger } = await ledgerOf(said(true, 'log-2'), said(false, 'log-2'));
  await expect(ledger.spend('7')).rejects.toThrow(OtherLedgerError);
  await expect(ledger.isSpent('7')).rejects.toThrow(OtherLedgerError);
});
