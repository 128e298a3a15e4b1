import type { Budget, Decision, Message, Scene } from './scene.js';

const nothing: Budget = {
  copies: 0,
  crashes: 0,
  ticks: 0,
  clockSteps: 0,
  freezes: 0,
  hangUps: 0,
  queueRenewals: 0,
  dates: 0,
  sessionCloses: 0,
  requestCloses: 0,
  expirySweeps: 0,
  quorumSweeps: 0,
  staleViews: 0,
  unreadableSpends: 0,
};

const scene = (
  budget: Partial<Budget>,
  messages: readonly Message[],
  decisions: readonly Decision[] = [],
  other: Partial<Scene> = {},
): Scene => ({
  hosts: 2,
  messages,
  decisions,
  grantUses: 1,
  ...other,
  budget: { ...nothing, ...budget },
});

const plain: Message = { plan: [] };
const first: Message = { plan: [], host: 0 };
const second: Message = { plan: [], host: 1 };
const waits: Message = { plan: [], host: 1, wait: true };
const calls: Message = { plan: ['call'], host: 0 };
const asks: Message = { plan: ['ask'], host: 0 };
const granted: Message = { plan: ['granted'], host: 0 };

const approve: Decision = { verdict: 'approved' };
const decline: Decision = { verdict: 'declined' };
const yes = (by: string): Decision => ({ verdict: 'approved', vote: { by, approved: true } });
const no = (by: string): Decision => ({ verdict: 'declined', vote: { by, approved: false } });

const twoVotes = { quorum: 2 } as const;
const ofGrants: Partial<Scene> = { copied: ['consent.minted', 'consent.spent', 'tool-call.dispatched'] };

/** Bounded worlds that together hold every row of the table, every fault a host, a broker or a clock can have, and their pairs. */
export const scenes: Readonly<Record<string, Scene>> = {
  'L7: two claims, late copies, a caller hangs up': scene({ copies: 2, hangUps: 1, staleViews: 1 }, [first, plain]),
  'L7: two claims, a crash, time': scene({ crashes: 1, copies: 1, ticks: 2 }, [first, plain]),
  'L7: two crashes, a step, time': scene({ crashes: 2, ticks: 2 }, [{ plan: ['step'], host: 0 }, plain]),
  'L5: a queue': scene({}, [first, waits]),
  'L5: a queue, late copies': scene({ copies: 2 }, [first, waits]),
  'L5: a queue, time, renewals': scene({ ticks: 4, queueRenewals: 2 }, [first, waits]),
  'N31: a queue before a pause': scene({ copies: 1, hangUps: 1 }, [asks, waits], [approve]),
  'L5: a queue, a crash, a late copy': scene({ crashes: 1, copies: 1 }, [first, waits]),
  'N31: a queue before a pause that is closed': scene({ copies: 1, requestCloses: 1 }, [asks, waits]),
  'L5: a queue of two': scene({}, [first, waits, { ...waits, host: 0 }]),
  'L5: a queue, late copies of claims and failures': scene({ copies: 1, ticks: 2, queueRenewals: 1 }, [first, waits], [], {
    copied: ['turn.claimed', 'turn.failed'],
  }),
  'L5: a queue of two, a clock step': scene({ clockSteps: 1, queueRenewals: 1 }, [first, waits, { ...waits, host: 0 }]),
  'L2: a call, a frozen host': scene({ ticks: 3, freezes: 1 }, [calls, second]),
  'L2: a call, time, a late copy, a caller hangs up': scene({ ticks: 3, copies: 1, hangUps: 1 }, [calls]),
  'L2: a call, a crash, a frozen host': scene({ ticks: 2, crashes: 1, freezes: 1 }, [calls, second]),
  'L2: a call, a clock step': scene({ clockSteps: 1, ticks: 1 }, [calls, second]),
  'L2: a call, the session closes': scene({ ticks: 2, sessionCloses: 1, freezes: 1 }, [calls]),
  'L2: a call, late copies of its records': scene({ ticks: 3, copies: 1 }, [calls], [], {
    copied: ['tool-call.dispatched', 'tool-call.finished', 'turn.renewed'],
  }),
  'L2: a call, late copies of claims and dispatches': scene({ ticks: 2, copies: 1 }, [calls, second], [], {
    copied: ['turn.claimed', 'tool-call.dispatched'],
  }),
  'N20: two decisions, a crash': scene({ crashes: 1 }, [asks], [approve, decline]),
  'N20: two decisions, late copies': scene({ copies: 2 }, [asks], [approve, decline]),
  'N20: a decision, the date passes': scene({ dates: 1, expirySweeps: 1, requestCloses: 1 }, [asks], [approve]),
  'N20: a decision, the session closes': scene({ sessionCloses: 1, ticks: 2, freezes: 1 }, [asks], [approve]),
  'N20: a decision, a crash, a late copy, time': scene({ crashes: 1, copies: 1, ticks: 2 }, [asks], [approve]),
  'N20: a decision, a close, a date that comes and goes': scene(
    { requestCloses: 1, copies: 1, dates: 2, expirySweeps: 1 },
    [asks],
    [approve],
  ),
  'N20: a decision, time': scene({ ticks: 3 }, [asks], [approve]),
  'N20: a decision after a decision, a crash': scene(
    { crashes: 1, ticks: 2 },
    [asks],
    [
      { ...approve, plan: ['ask'] },
      { ...decline, request: 2, after: 0 },
    ],
  ),
  'L8: a decision, a spend nobody can read': scene({ unreadableSpends: 1 }, [asks], [approve, decline]),
  'N52: a grant, a crash': scene({ crashes: 1 }, [granted]),
  'N52: a grant, late copies': scene({ copies: 2 }, [granted], [], ofGrants),
  'N52: a grant used up, the session closes': scene({ copies: 1, sessionCloses: 1 }, [granted, { ...granted, host: 1 }], [], ofGrants),
  'N52: two uses of one grant, a crash': scene({ ticks: 2, crashes: 1 }, [{ plan: ['granted', 'granted'], host: 0 }]),
  'N50: a quorum, a sweep': scene({ quorumSweeps: 1 }, [asks], [yes('a'), yes('b')], twoVotes),
  'N50: a quorum and a veto': scene({}, [asks], [yes('a'), yes('b'), no('c')], twoVotes),
  'N50: a quorum, a crash without return, a sweep': scene({ crashes: 1, quorumSweeps: 1 }, [asks], [yes('a'), yes('b')], {
    ...twoVotes,
    neverRestarts: true,
  }),
  'D18: one key, two messages': scene({ copies: 1 }, [
    { ...first, key: 'K' },
    { ...plain, key: 'K' },
  ]),
  'D18: one key, two that wait': scene({}, [
    first,
    { plan: ['step'], key: 'K', wait: true, host: 1 },
    { plan: ['step'], key: 'K', wait: true, host: 0 },
  ]),
  'D18: a key behind another claim': scene({ copies: 1 }, [first, { ...second, key: 'K' }]),
  'D18: the key of a decision, a crash': scene({ crashes: 1 }, [asks], [{ ...approve, key: 'K' }]),
  'D18: a key that waits before a pause': scene({ requestCloses: 1 }, [asks, { ...waits, key: 'K' }]),
  'D18: a key that waits, a crash': scene({ crashes: 1 }, [first, waits, { ...waits, key: 'K' }]),
  'L5: three hosts, a late copy': scene({ copies: 1 }, [first, waits, { plan: [], host: 2 }], [], { hosts: 3, copied: ['turn.claimed'] }),
  'N20: three hosts, two decisions, a crash': scene({ crashes: 1 }, [asks], [approve, decline], { hosts: 3 }),
};
