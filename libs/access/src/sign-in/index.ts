export { SIGN_IN_FAILURES, SignInError } from './sign-in-error.js';
export { SignIn } from './sign-in.js';
