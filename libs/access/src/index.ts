export { bootWarnings } from './guard/boot-warnings.js';
export { makeGuard, type GuardOptions, type GuardRefusal, type Guarded } from './guard/guard.js';
export { bearerOf, bearerOfSubprotocols } from './identity/bearer.js';
export { makeIdentify, type Identified, type Identify, type Presented } from './identity/identify.js';
export { jwtVerifier } from './identity/jwt-verifier.js';
export type { Principal } from './identity/principal.js';
export { judgeStart } from './identity/start-rules.js';
export { unidentified } from './identity/unidentified.js';
export type { IdentityFailure, Verifier } from './identity/verifier.js';
