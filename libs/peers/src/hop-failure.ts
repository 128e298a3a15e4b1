import { AgentError, type AgentErrorCode } from '@doorledger/agent';
import { DoorledgerError } from '@doorledger/contracts';
import { AppendRefusedError, type IdempotencyKey } from '@doorledger/event-log';
import { RememberedKeyError, TurnError, classOf, type TurnErrorCode } from '@doorledger/turns';

/** How a turn failed elsewhere. Sentences are those of our own errors; of any other one it is the class alone (D22). */
export type HopFailure =
  | {
      readonly kind: 'turn';
      readonly code: TurnErrorCode;
      readonly message: string;
      readonly details: Record<string, unknown>;
      readonly status?: number;
    }
  | { readonly kind: 'agent'; readonly code: AgentErrorCode; readonly message: string }
  | { readonly kind: 'append-refused' | 'ours'; readonly code: string; readonly message: string }
  | { readonly kind: 'remembered'; readonly remembered: IdempotencyKey }
  | { readonly kind: 'other'; readonly name: string };

export function failureOf(error: unknown): HopFailure {
  if (error instanceof TurnError) {
    const { code, message, details, status } = error;
    return { kind: 'turn', code, message, details, ...(status !== undefined && { status }) };
  }
  if (error instanceof AgentError) return { kind: 'agent', code: error.code, message: error.message };
  if (error instanceof RememberedKeyError) return { kind: 'remembered', remembered: error.remembered };
  if (error instanceof DoorledgerError)
    return { kind: error instanceof AppendRefusedError ? 'append-refused' : 'ours', code: error.code, message: error.message };
  return { kind: 'other', name: classOf(error) };
}

/** The same error here, so that its caller hears what it would have heard there. */
export function errorOf(failure: HopFailure, hostId: string): Error {
  switch (failure.kind) {
    case 'turn':
      return new TurnError(failure.code, failure.message, failure);
    case 'agent':
      return new AgentError(failure.code, failure.message);
    case 'append-refused':
      return new AppendRefusedError(failure.code, failure.message);
    case 'ours':
      return new DoorledgerError(failure.code, failure.message);
    case 'remembered':
      return new RememberedKeyError(failure.remembered);
    case 'other': {
      const error = new Error(`The turn failed on ${hostId}, whose log lines say why.`);
      error.name = failure.name;
      return error;
    }
  }
}
