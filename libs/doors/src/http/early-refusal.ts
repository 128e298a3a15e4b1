import type { IngressRecorder } from '../ingress/ingress-recorder.js';
import type { RequestDoor } from '../request-door.js';
import type { Failure } from '../wire/terminal.js';

/** Of whom a refusal is said before it is known what was asked. */
interface Early {
  readonly door: 'request' | 'conversation';
  readonly bearerPresent: boolean;
  readonly startedAt: number;
}

/** Gives an early refusal its place in the census: by its code a record (E3) or a part of a count (E4). */
export function fileEarly(
  refused: Failure,
  { door, bearerPresent, startedAt }: Early,
  options: { readonly door: RequestDoor; readonly count: IngressRecorder['count'] },
): Failure {
  if (refused.code === 'ERR_HOST_CLOSED') options.count('closing');
  else if (refused.code === 'ERR_INVALID_WIRE_OP') options.count('bad-wire-op');
  else options.door.refuse(refused, door, bearerPresent, startedAt);
  return refused;
}
