/** What somebody heard of a request that several people decided on. */
export interface Heard {
  readonly requestId: string;
  /** Whose answer it is (userRef). */
  readonly by: string;
  readonly way: 'invoke' | 'api' | 'close';
  /** Absent for a close. */
  readonly approved?: boolean;
  /** Status and code, such as `409 ERR_RESUME_REFUSED`; `0` where no whole answer came. */
  readonly answer: string;
  /** Of a refusal. */
  readonly reason?: string;
  /** What an approver was told. */
  readonly verdict?: string;
}
