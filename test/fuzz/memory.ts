import type { Violation } from '../faults/history.js';
import { rssMb, type Served } from '../faults/served-process.js';

/** Resident memory of the process under test, in MB: past it something grows with the requests. */
const MOST_MB = 700;

/** The resident memory of a process, looked at now and then. */
export class Memory {
  readonly #pid: number;
  readonly #start: number;
  #most = 0;
  #end = 0;

  constructor({ pid }: Served) {
    this.#pid = pid;
    this.#start = rssMb(pid);
  }

  look(): void {
    this.#end = rssMb(this.#pid);
    this.#most = Math.max(this.#most, this.#end);
  }

  get told() {
    return { start: Math.round(this.#start), most: Math.round(this.#most), end: Math.round(this.#end) };
  }

  get violations(): Violation[] {
    return this.#most <= MOST_MB ? [] : [{ rule: 'D20', what: `the process held ${Math.round(this.#most)} MB` }];
  }
}
