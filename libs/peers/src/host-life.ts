/** One life of a host: what holds tool sessions, and what a hop is meant for. */
export interface HostLife {
  readonly hostId: string;
  readonly bootId: string;
}
