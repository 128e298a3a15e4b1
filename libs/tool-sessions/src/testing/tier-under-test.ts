import { createHmac, randomUUID } from 'node:crypto';
import { setImmediate as tick } from 'node:timers/promises';
import { eventOf, whyInvalid, type Fact } from '@doorledger/contracts';
import type { CallContext, Scope } from '../call-context.js';
import type { CloseReason } from '../cleanup.js';
import type { TierLimits } from '../tier-limits.js';
import { ToolSessionTier } from '../tool-session-tier.js';
import { FakeClock } from './fake-clock.js';

export type ToolSessionFact = Extract<Fact, { type: `tool-session.${string}` }>;

const refOf = (name: string): string => createHmac('sha256', 'a test').update(name).digest('hex').slice(0, 32);

/** A call of `ada` in a session, in a turn and run of its own unless they are given. */
export function callOf(given: Partial<CallContext> & { person?: string; session?: string } = {}): CallContext {
  const { person = 'ada', session = 's1', ...over } = given;
  return {
    tenant: 'acme',
    principal: person,
    sessionId: session,
    sessionRef: refOf(`session ${session}`),
    userRef: refOf(`person ${person}`),
    turnId: randomUUID(),
    runId: randomUUID(),
    callId: randomUUID(),
    ...over,
  };
}

export const sessionRefOf = (session: string): string => refOf(`session ${session}`);
export const userRefOf = (person: string): string => refOf(`person ${person}`);

export interface Opening {
  readonly scope?: Scope;
  readonly server?: string;
  readonly tool?: string;
  readonly label?: string;
  readonly stop?: (reason: CloseReason) => Promise<void>;
}

/** A tier on a clock that stands still; every fact is held against its schema, every stop is noted. */
export function tierUnderTest(limits?: Partial<TierLimits>) {
  const clock = new FakeClock();
  const facts: ToolSessionFact[] = [];
  const troubles: { readonly sentence: string; readonly error: unknown }[] = [];
  /** `resource reason`, in the order in which the stops started. */
  const stops: string[] = [];
  let started = 0;
  const tier = new ToolSessionTier({
    hostId: 'door-1',
    bootId: randomUUID(),
    keyHash: (key) => createHmac('sha256', 'a deployment key').update(key).digest('hex').slice(0, 12),
    onFact: (fact) => {
      const why = whyInvalid(eventOf(fact, { source: '/doorledger/test/door-1', now: Date.now }));
      if (why) throw new Error(`${fact.type}: ${why}`);
      facts.push(fact as ToolSessionFact);
    },
    onTrouble: (sentence, error) => void troubles.push({ sentence, error }),
    clock,
    ...(limits && { limits }),
  });
  const open = async (context: CallContext, opening: Opening = {}) => {
    const { scope = 'session', server = 'files', tool = 'read_file', label, stop = async () => {} } = opening;
    const answer = await tier.open({ name: server, server, tool, scope, context, ...(label && { label }) }, async () => {
      const resource = `r${++started}`;
      return {
        resource,
        stop: (reason) => {
          stops.push(`${resource} ${reason}`);
          return stop(reason);
        },
      };
    });
    return answer;
  };
  return {
    tier,
    clock,
    facts,
    troubles,
    stops,
    open,
    starts: () => started,
    /** Opens, and lets the call end at once. */
    async use(context: CallContext, opening?: Opening): Promise<string> {
      const answer = await open(context, opening);
      if (answer.outcome === 'refused') throw new Error(answer.code);
      answer.release();
      return answer.resource;
    },
    /** Facts as `type` or `type reason`, without the common beginning. */
    told: () => facts.map(({ type, data }) => `${type.slice('tool-session.'.length)}${'reason' in data ? ` ${data.reason}` : ''}`),
    /** Until every promise that can go on without a timer has. */
    quiet: () => tick(),
  };
}

export type TierUnderTest = ReturnType<typeof tierUnderTest>;
