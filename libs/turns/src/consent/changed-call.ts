import {
  UnbindableError,
  isSameJson,
  mayDecide,
  mint,
  type Decider,
  type Json,
  type JsonObject,
  type PausedRequest,
} from '@doorledger/consent';
import type { ToolServers } from '@doorledger/mcp';
import { unbindable } from '../call-round.js';
import { TurnError } from '../turn-error.js';
import type { Gates } from './gates.js';
import type { PausedTurn } from './paused-turn.js';
import type { Gated, StoppedCall } from './stopped-call.js';

/** A stopped call as it is to wait in the place of the one that waits. */
export type ChangedCall = Omit<StoppedCall, 'call' | 'replaces'>;

const start = { rules: 0, checkIn: false };

/**
 * N55: what an approver makes of a call by `changes: {args}`; undefined for a decision without any. The rules judge the new arguments from
 * the first one on: what they deny, rewrite or leave to others is not the approver's to run. Nothing has moved yet.
 * @throws TurnError `ERR_DECISION_REQUIRED`, `ERR_ROLE_REQUIRED`
 */
export async function changedCall(
  sent: unknown,
  paused: PausedTurn & { readonly request: PausedRequest },
  decider: Decider,
  { gates, servers }: { readonly gates: Gates; readonly servers: Pick<ToolServers, 'tools'> },
): Promise<ChangedCall | undefined> {
  const { changes, approved } = sent as { readonly changes?: unknown; readonly approved?: unknown };
  if (changes === undefined) return undefined;
  const { call } = paused.request;
  const args = readArgs(changes, approved, paused.request);
  const { server, tool: name, party } = call;
  const tool = servers.tools().find((one) => one.server === server && one.tool === name)!;
  const judgement = await gates.judge({ server, tool: name, args, party }, start);
  if (judgement.kind === 'deny') throw refused(`A rule denies these arguments: ${judgement.reason}`);
  if (!isSameJson(judgement.args as Json, args))
    throw refused('A rule changes these arguments, so they would not run as they are. Send them as the rule leaves them.');
  // Rules that ask nothing of the new arguments do not take back that somebody has to approve the call.
  if (judgement.kind === 'run') return { gated: gateOf(paused, args), passed: paused.passed, tool, isChanged: true };
  if (!mayDecide(decider, party, judgement.terms.policy, true))
    throw new TurnError('ERR_ROLE_REQUIRED', 'With these arguments the call is for other people to decide.');
  return { gated: judgement, passed: start, tool, isChanged: true };
}

/** For the agent, which asked for something else. */
export const changedTo = ({ call }: PausedRequest): string =>
  `A person changed the arguments of this call before they approved it, to ${JSON.stringify(call.args)}.`;

function readArgs(changes: unknown, approved: unknown, { call, pending }: PausedRequest): JsonObject {
  const isRead = isObject(changes) && Object.keys(changes).length === 1 && isObject(changes.args);
  if (!isRead || approved !== true)
    throw refused('Changes go with an approval: send {"requestId": "…", "approved": true, "changes": {"args": {…}}}.');
  try {
    const { args } = mint({ ...call, args: changes.args }, Buffer.from(pending.nonce, 'hex')).call;
    if (hasUnsafeNumber(args)) throw refused('A number of these arguments is larger than JSON keeps exactly. Send it as a text.');
    return args;
  } catch (error) {
    throw error instanceof UnbindableError ? refused(unbindable(error)) : error;
  }
}

function gateOf({ request: { call }, terms, question }: PausedTurn & { readonly request: PausedRequest }, args: JsonObject): Gated {
  if (call.gate === 'checkIn') return { kind: 'gated', gate: call.gate, args, terms };
  return { kind: 'gated', gate: call.gate, ask: call.ask, ...(question !== undefined && { question }), args, terms };
}

const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

/** What came in as another number and was rounded when it was parsed. */
function hasUnsafeNumber(value: Json): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasUnsafeNumber);
}

const refused = (sentence: string): TurnError => new TurnError('ERR_DECISION_REQUIRED', sentence);
