import type { References } from '@doorledger/privacy';
import type { FreezeBook, FreezeSubject, TurnRunner } from '@doorledger/turns';
import { Refused } from '../refused.js';
import { failure } from '../wire/terminal.js';

export interface FrozenTurnsOptions {
  readonly freezes: Pick<FreezeBook, 'frozenBy'>;
  readonly references: Pick<References, 'tenantRef'>;
}

/** A runner that begins and resumes no work of whom an operator has frozen (P6): nothing is claimed. @throws Refused `ERR_FROZEN` */
export function frozenTurns(
  runner: Pick<TurnRunner, 'run' | 'resume'>,
  { freezes, references }: FrozenTurnsOptions,
): Pick<TurnRunner, 'run' | 'resume'> {
  const judge = (subject: FreezeSubject) => {
    if (freezes.frozenBy(subject) !== undefined)
      throw new Refused(failure('ERR_FROZEN', 'An operator has stopped this for now. Nothing was begun. Try again later.'));
  };
  return {
    async run(ask) {
      const { tenantRef, signer: userRef } = ask;
      judge({ ...(tenantRef !== undefined && { tenantRef }), ...(userRef !== undefined && { userRef }) });
      return runner.run(ask);
    },
    async resume(ask, held) {
      const { person, signer: userRef } = ask.paused.party;
      judge({
        ...(person?.tenant !== undefined && { tenantRef: references.tenantRef(person.tenant) }),
        ...(userRef !== undefined && { userRef }),
      });
      return runner.resume(ask, held);
    },
  };
}
