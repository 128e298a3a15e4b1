import { DoorledgerError } from '@doorledger/contracts';

/** Why JSON cannot write a value down so that everybody reads the same from it (N4). */
export type Unfaithful =
  | 'not-json'
  | 'not-an-object'
  | 'not-plain'
  | 'not-finite'
  | 'number-changed'
  | 'name-twice'
  | 'undefined-in-array'
  | 'lone-surrogate'
  | 'cycle'
  | 'too-deep';

const says: Readonly<Record<Unfaithful, string>> = {
  'not-json': 'it is not JSON',
  'not-an-object': 'arguments are a JSON object',
  'not-plain': 'only plain objects, arrays, strings, numbers, booleans and null can be written down',
  'not-finite': 'a number has to be finite',
  'number-changed': 'the number has more digits, or is larger or smaller, than a double keeps; send it as a string',
  'name-twice': 'an object names a property twice',
  'undefined-in-array': 'an array has a place without a value',
  'lone-surrogate': 'a string has half of a surrogate pair',
  cycle: 'it contains itself',
  'too-deep': 'it is nested too deeply',
};

/**
 * A call that cannot be bound to an approval (N4): the gate refuses it instead of pausing. `path` is a JSON Pointer
 * (RFC 6901) to the offending value, in a call seen from the call (`/args/…`); it holds names, never a value.
 */
export class UnbindableError extends DoorledgerError {
  constructor(
    readonly path: string,
    readonly why: Unfaithful,
  ) {
    super('ERR_CONSENT_UNBINDABLE', `This cannot be bound to an approval: ${says[why]}.`);
  }
}

/** `ERR_GRANT_PATTERN`: what should say which arguments a grant allows is no usable JSON Schema (N52). */
export class GrantPatternError extends DoorledgerError {}
