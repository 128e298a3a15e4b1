import { choice, integer } from './kind.js';
import { Setting } from './setting.js';

const MOST = 1_000_000;

export class AdmissionSettings {
  @Setting({ about: 'Most turns of one proven person in any hour; past it turns get 429.', kind: integer(1, MOST), otherwise: 'no limit' })
  readonly turnsPerHour?: number;

  @Setting({
    about: 'Most turns in any hour of all callers together that nobody proved; 0 admits none.',
    kind: integer(0, MOST),
    otherwise: 'as `admission.turnsPerHour`',
  })
  readonly anonymousTurnsPerHour?: number;

  @Setting({
    about: 'What a turn meets while the database that counts turns does not answer; needed with a limit and `store: postgres`.',
    kind: choice('refuse', 'allow'),
  })
  readonly whenStoreDown?: 'refuse' | 'allow';
}
