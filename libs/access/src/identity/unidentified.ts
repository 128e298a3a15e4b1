/** What a caller hears whom identity let not in (I6): the class of the failure is for the record, not for the caller. */
export const unidentified = {
  refused: { status: 401, code: 'ERR_IDENTITY_NOT_VERIFIED', error: 'Send a bearer token that this deployment accepts.' },
  unavailable: {
    status: 503,
    code: 'ERR_IDENTITY_VERIFIER_UNAVAILABLE',
    error: 'Who you are could not be judged right now. Try again soon.',
  },
} as const;
