import { v7 as uuidv7 } from 'uuid';
import type { Fact, FactData, FactType } from './facts/index.js';
import { factByType } from './facts/index.js';

/** A fact in its envelope: CloudEvents 1.0, structured mode, flat (spec 9). */
export interface FactEvent<T extends FactType = FactType> {
  readonly specversion: '1.0';
  /** UUIDv7, made once before the first append: every copy of the record carries the same one. */
  readonly id: string;
  /** `/doorledger/<deployment>/<hostId>` */
  readonly source: string;
  readonly type: T;
  /** RFC 3339, the writer's clock: for people only, no fold reads it. */
  readonly time: string;
  readonly subject: string;
  readonly datacontenttype: 'application/json';
  readonly dataschema: string;
  readonly traceparent?: string;
  readonly data: FactData<T>;
}

export type AnyFactEvent = { [T in FactType]: FactEvent<T> }[FactType];

/** CloudEvents wants an absolute URI: a name, not a place to fetch from. */
export const dataSchemaOf = (type: string): string => `urn:doorledger:fact:${type}:1`;

export interface EventOrigin {
  /** `/doorledger/<deployment>/<hostId>` */
  readonly source: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** The trace that a fact is a part of; absent for a writer whose facts are of no request. */
  readonly trace?: () => string | undefined;
}

/** Gives a fact its envelope and its id. Append the SAME event again when an append's outcome is unknown (L7). */
export function eventOf<T extends FactType>(fact: Fact<T>, origin: EventOrigin, traceparent = origin.trace?.()): FactEvent<T> {
  const { subject } = factByType.get(fact.type)!;
  return {
    specversion: '1.0',
    id: uuidv7(),
    source: origin.source,
    type: fact.type,
    time: new Date(origin.now()).toISOString(),
    subject: String((fact.data as Record<string, unknown>)[subject]),
    datacontenttype: 'application/json',
    dataschema: dataSchemaOf(fact.type),
    ...(traceparent && { traceparent }),
    data: fact.data,
  };
}
