export interface Ping {
  readonly status: 'Healthy' | 'HealthyBusy';
  /** Unix seconds at which `status` became what it is: without it the platform takes a busy container for an idle one. */
  readonly time_of_last_update: number;
}

/** What `GET /ping` has last told. */
export class PingState {
  #status: Ping['status'] = 'Healthy';
  #since: number;

  /** `now`: epoch ms. */
  constructor(now: number) {
    this.#since = now;
  }

  told(isBusy: boolean, now: number): Ping {
    const status = isBusy ? 'HealthyBusy' : 'Healthy';
    if (status !== this.#status) this.#since = now;
    this.#status = status;
    return { status, time_of_last_update: Math.floor(this.#since / 1000) };
  }
}
