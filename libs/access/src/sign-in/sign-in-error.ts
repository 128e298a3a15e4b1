import { DoorledgerError } from '@doorledger/contracts';

/** Why a sign-in did not come about, as its page tells it. */
export const SIGN_IN_FAILURES = {
  ERR_SIGN_IN_NOT_BEGUN: {
    status: 400,
    sentence: 'This sign-in was not begun in this browser, took too long, or was used before. Begin again.',
  },
  ERR_SIGN_IN_REFUSED: {
    status: 403,
    sentence: 'The identity provider did not sign you in. Ask who runs it whether you may use this application, then begin again.',
  },
  ERR_SIGN_IN_ANSWER: {
    status: 502,
    sentence:
      'The identity provider’s answer cannot be used. Who runs this deployment finds the reason in the log lines, and the settings signIn.* and oidc.* beside it.',
  },
  ERR_SIGN_IN_NAMELESS: {
    status: 403,
    sentence: 'The id token names no person, or no tenant although oidc.tenantClaim asks for one. Who runs the provider can add the claim.',
  },
  ERR_SIGN_IN_TOO_LARGE: {
    status: 403,
    sentence:
      'The id token names more roles than a cookie can hold. Who runs the provider can send only those that are meant for doorledger.',
  },
  ERR_IDENTITY_VERIFIER_UNAVAILABLE: {
    status: 503,
    sentence: 'The identity provider cannot be reached right now, or this process is still starting. Nobody was judged. Try again soon.',
  },
} as const;

/** `cause` is for log lines: it names classes and codes, never what the provider said. */
export class SignInError extends DoorledgerError {
  constructor(
    override readonly code: keyof typeof SIGN_IN_FAILURES,
    cause?: unknown,
  ) {
    super(code, SIGN_IN_FAILURES[code].sentence, { cause });
  }
}
