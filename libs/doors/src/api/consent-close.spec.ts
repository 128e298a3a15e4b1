import { AppendRefusedError, ClaimUnknownError } from '@doorledger/event-log';
import { Refused } from '../refused.js';
import type { Terminal } from '../wire/terminal.js';
import { ConsentApi, type ConsentApiOptions } from './consent-api.js';

const requestId = 'ab'.repeat(32);
const logId = '00000000-0000-4000-8000-000000000001';

/** Closes a request that was minted under `ledger`, where the record of the close fares like this; what is answered. */
async function closed(ledger: string | null, close: () => Promise<string>): Promise<object> {
  const row = { request_id: requestId, session_key: 'c1'.repeat(16), tenant_ref: null, ledger };
  const options: Partial<Record<keyof ConsentApiOptions, unknown>> = {
    composer: { callerOf: async () => ({ isVerified: false }) },
    ledger: { consent: async () => row },
    decisions: { close },
    logId,
  };
  const call = { presented: {}, signal: new AbortController().signal, trace: { door: 'api', bearerPresent: false } as const };
  const answer: Terminal = await new ConsentApi(options as never).close(requestId, call).catch((error: unknown) => {
    if (error instanceof Refused) return error.terminal;
    throw error;
  });
  if (answer.kind === 'fail') return { status: answer.status, code: answer.code, sentence: answer.error, ...answer.details };
  return answer.kind === 'api' ? { status: answer.status, ...answer.body } : answer;
}
const some = expect.any(String) as string;

it('N31 and N33 say that a close which stands is the proof', async () => {
  expect(await closed(logId, async () => 'closed')).toEqual({ status: 200, requestId, verdict: 'closed', proven: true });
});

it.each([
  ['of another log', '00000000-0000-4000-8000-000000000002', 'other-ledger'],
  ['of no log that is recorded', null, 'no-ledger-recorded'],
])('N33 says why a close is no proof of a request %s', async (_, ledger, why) => {
  const answer = await closed(ledger, async () => 'closed');
  expect(answer).toEqual({ status: 200, requestId, verdict: 'closed', proven: false, why, sentence: some });
});

it.each([
  [new AppendRefusedError('ERR_LOG_UNREACHABLE', 'The log is away.'), 'close-failed'],
  [new ClaimUnknownError(), 'close-indefinite'],
])('N33 says why a close is no proof that the log did not confirm: %s', async (error, why) => {
  const answer = await closed(logId, () => Promise.reject(error));
  expect(answer).toEqual({ status: 503, code: 'ERR_LOG_UNAVAILABLE', proven: false, why, sentence: some });
});

it.each(['approved', 'declined', 'expired'])('N32 and N33 say that the request was settled first: %s', async (standing) => {
  const answer = await closed(logId, async () => standing);
  expect(answer).toMatchObject({ status: 409, code: 'ERR_RESUME_REFUSED', standing, why: 'settled' });
});
