import type { DataOfDefinition, FactDefinition } from '../fact.js';
import * as consent from './consent.js';
import * as consentFeed from './consent-feed.js';
import * as ingress from './ingress.js';
import * as content from './private.js';
import * as session from './session.js';
import * as spend from './spend.js';
import * as system from './system.js';
import * as toolCall from './tool-call.js';
import * as toolSession from './tool-session.js';
import * as turn from './turn.js';

const definitions = {
  ...turn,
  ...consent,
  ...toolCall,
  ...session,
  ...toolSession,
  ...ingress,
  ...spend,
  ...system,
  ...content,
  ...consentFeed,
};
type Definitions = (typeof definitions)[keyof typeof definitions];

export type FactType = Definitions['type'];
export type DefinitionOf<T extends FactType> = Extract<Definitions, { type: T }>;
/** The data of the fact named `T`. */
export type FactData<T extends FactType> = DataOfDefinition<DefinitionOf<T>>;
/** A fact before it has an envelope: its type and data. */
export type Fact<T extends FactType = FactType> = { [K in T]: { readonly type: K; readonly data: FactData<K> } }[T];

/** Every fact of spec 9 by its type. */
export const facts = Object.fromEntries(Object.values(definitions).map((d) => [d.type, d])) as {
  readonly [T in FactType]: DefinitionOf<T>;
};

export const factByType: ReadonlyMap<string, FactDefinition> = new Map<string, FactDefinition>(
  Object.values(definitions).map((d) => [d.type, d as FactDefinition]),
);
