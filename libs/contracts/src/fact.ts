import { Type, type Static, type TObject, type TProperties, type TSchema } from '@sinclair/typebox';
import type { TopicDefinition } from './topics.js';

/** One kind of fact: its type name, where it goes, which field names its subject, and the schema that is also its TypeScript type. */
export interface FactDefinition<T extends string = string, S extends TSchema = TSchema> {
  readonly type: T;
  readonly topic: TopicDefinition;
  /** The data field whose value is the CloudEvents `subject`. */
  readonly subject: string;
  readonly data: S;
  readonly description: string;
}

export function fact<T extends string, P extends TProperties>(
  type: T,
  topic: TopicDefinition,
  subject: keyof P & string,
  description: string,
  properties: P,
): FactDefinition<T, TObject<P>> {
  return { type, topic, subject, description, data: Type.Object(properties) };
}

/** The data of a fact, read-only all the way down. */
export type DataOfDefinition<D extends FactDefinition> = DeepReadonly<Static<D['data']>>;

export type DeepReadonly<T> = T extends (infer U)[]
  ? readonly DeepReadonly<U>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

export const optional = <S extends TSchema>(schema: S) => Type.Optional(schema);
