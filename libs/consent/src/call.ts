import { UnbindableError } from './errors.js';
import { faithfulCopy } from './faithful-copy.js';
import { isJsonObject, type Json, type JsonObject } from './json.js';

export type Gate = 'checkIn' | 'ask';

/** The identity a tool resolves against; nothing of it is known of an anonymous caller. */
export interface Party {
  readonly issuer?: string;
  readonly tenant?: string;
  readonly subject?: string;
}

/** The rule that asked, its place in the chain, and the names of it and of every rule after it, in order. */
export interface Asking {
  readonly rule: string;
  readonly index: number;
  readonly chain: readonly string[];
}

interface CallTerms {
  readonly server: string;
  readonly tool: string;
  /** The definition the approver sees (N1). */
  readonly toolHash: string;
  /** The host's UUID, never the model's. */
  readonly callId: string;
  readonly party: Party;
  readonly args: JsonObject;
}

type Gating = { readonly gate: 'checkIn'; readonly ask?: undefined } | { readonly gate: 'ask'; readonly ask: Asking };

/** Everything that runs on one approval (N1): nothing else is bound, and nothing of it can change. */
export type GatedCall = CallTerms & Gating;

/** What a gate hands over: the arguments may still be anything, and other properties are left behind. */
export type UnboundCall = Omit<CallTerms, 'args'> & { readonly args: unknown } & Gating;

/**
 * The call with exactly the fields of N1, detached and deeply frozen (N5).
 * @throws UnbindableError (N4)
 */
export function boundCall(call: UnboundCall): GatedCall {
  const { gate, server, tool, toolHash, callId, party, args, ask } = call;
  const { issuer, tenant, subject } = party;
  const copy = faithfulCopy({
    gate,
    server,
    tool,
    toolHash,
    callId,
    party: { issuer, tenant, subject },
    args: args === undefined ? null : args,
    ask: ask && { rule: ask.rule, index: ask.index, chain: ask.chain },
  });
  if (!isGatedCall(copy)) throw new UnbindableError('/args', 'not-an-object');
  return copy;
}

/** Whether stored JSON has the shape of a call; whether it is the one that was approved is for its commitment to say. */
export function isGatedCall(value: Json | undefined): value is Json & GatedCall {
  if (!isJsonObject(value)) return false;
  const { gate, server, tool, toolHash, callId, party, args, ask } = value;
  return (
    [server, tool, toolHash, callId].every(isText) &&
    isJsonObject(party) &&
    [party.issuer, party.tenant, party.subject].every((part) => part === undefined || isText(part)) &&
    isJsonObject(args) &&
    (gate === 'ask' ? isAsking(ask) : gate === 'checkIn' && ask === undefined)
  );
}

function isAsking(value: Json | undefined): boolean {
  return (
    isJsonObject(value) && isText(value.rule) && Number.isInteger(value.index) && Array.isArray(value.chain) && value.chain.every(isText)
  );
}

const isText = (value: Json | undefined): value is string => typeof value === 'string';
