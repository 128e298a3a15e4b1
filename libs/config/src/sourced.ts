/** A value and the place that set it, in words: `line 3 of doorledger.config.yaml`, `environment variable DOORLEDGER_PORT`, `flag --port`. */
export interface Sourced {
  readonly value: unknown;
  readonly origin: string;
}

/** Setting path → what one source says of it. */
export type SourcedValues = ReadonlyMap<string, Sourced>;
