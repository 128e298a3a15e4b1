import { Catch, type ExceptionFilter } from '@nestjs/common';
import { throwError, type Observable } from 'rxjs';

/** What a handler of the log throws reaches the log's reader as it is: Nest would make one and the same error of every one. */
@Catch()
export class FaithfulFilter implements ExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}
