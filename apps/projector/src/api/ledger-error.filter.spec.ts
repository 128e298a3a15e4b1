import type { ArgumentsHost } from '@nestjs/common';
import { LedgerError } from '@doorledger/ledger';
import { reached } from '@doorledger/ledger/postgres';
import { LedgerErrorFilter } from './ledger-error.filter.js';

function answerTo(error: LedgerError): { status: number; body: object } {
  const answer = { status: 0, body: {} };
  const reply = {
    code: (status: number) => ((answer.status = status), reply),
    send: (body: object) => void (answer.body = body),
  };
  const host = { switchToHttp: () => ({ getResponse: () => reply }) } as unknown as ArgumentsHost;
  new LedgerErrorFilter().catch(error, host);
  return answer;
}

it.each(['53300', '57P01', '57P02', '57P03', '08006', 'ECONNREFUSED', 'ECONNRESET'])(
  'P7 answers 503 ERR_DATABASE_AWAY while PostgreSQL says %s',
  async (code) => {
    const error: unknown = await reached(() => Promise.reject(Object.assign(new Error('sorry, of me'), { code }))).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(LedgerError);
    const { status, body } = answerTo(error as LedgerError);
    expect([status, body]).toEqual([503, { code: 'ERR_DATABASE_AWAY', error: expect.not.stringContaining('sorry') as string }]);
  },
);

it('P3 and P7 answer 503 to a ledger that is behind, and 4xx to the caller’s own mistakes', () => {
  for (const [code, status] of [
    ['ERR_LEDGER_BEHIND', 503],
    ['ERR_DATABASE_REFUSED', 503],
    ['ERR_INVALID_QUERY', 400],
    ['ERR_NOT_FOUND', 404],
  ] as const)
    expect(answerTo(new LedgerError(code, 'A sentence.'))).toEqual({ status, body: { error: 'A sentence.', code } });
});
