import type { Effect, SpendVerdict, StoredRecord } from '@doorledger/event-log';
import type { Scratch, ScratchMap } from './sqlite-scratch.js';
import type { Violation, ViolationPlace } from './violation.js';

/** A request for consent as its standing facts tell it. */
export interface KnownRequest {
  readonly turnId?: string;
  readonly callId?: string;
  readonly server?: unknown;
  readonly tool?: unknown;
  readonly spend?: { readonly place: ViolationPlace; readonly verdict: SpendVerdict; readonly claimId?: string };
}

/** Requests by their ids, and that each is spent once. */
export class ConsentCheck {
  readonly #requests: ScratchMap<KnownRequest>;

  constructor(scratch: Scratch) {
    this.#requests = scratch.map();
  }

  get(requestId: string): KnownRequest | undefined {
    return this.#requests.get(requestId);
  }

  /** A `consent.minted` that stands says what was asked. */
  minted({ decoded: { body } }: StoredRecord): void {
    const { requestId, server, tool } = body!.data;
    this.#know(requestId as string, { server, tool });
  }

  take(effect: Effect, place: ViolationPlace): Violation | undefined {
    if (effect.kind === 'request-pending') this.#know(effect.requestId, { turnId: effect.turnId, callId: effect.callId });
    if (effect.kind !== 'request-settled') return undefined;
    const { requestId, verdict, claimId } = effect;
    const spend = this.get(requestId)?.spend;
    if (spend) return { statement: 'one-spend', sentence: 'Two spends of one request for consent stand.', positions: [spend.place, place] };
    this.#know(requestId, { spend: { place, verdict, ...(claimId !== undefined && { claimId }) } });
    return undefined;
  }

  #know(requestId: string, more: KnownRequest): void {
    this.#requests.set(requestId, { ...this.get(requestId), ...more });
  }
}
