import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { LedgerError } from '@doorledger/ledger';

const statusOf: Readonly<Record<string, number>> = { ERR_INVALID_QUERY: 400, ERR_NOT_FOUND: 404, ERR_LEDGER_BEHIND: 503 };

interface Reply {
  code(status: number): Reply;
  send(body: object): void;
}

/** P7: `{error, code}`. */
@Catch(LedgerError)
export class LedgerErrorFilter implements ExceptionFilter<LedgerError> {
  catch({ code, message }: LedgerError, host: ArgumentsHost): void {
    host
      .switchToHttp()
      .getResponse<Reply>()
      .code(statusOf[code] ?? 503)
      .send({ error: message, code });
  }
}
