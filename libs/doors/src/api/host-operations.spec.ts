import { randomUUID } from 'node:crypto';
import { hostOperations } from './host-operations.js';
import { readGrant } from './grant-asks.js';
import { readFreeze, readLift, readNothing, readReconciliation } from './operator-asks.js';
import { readSpend } from './spend-asks.js';

type Fields = Readonly<Record<string, unknown>>;
const freezing = (asked: Fields) => readFreeze(asked, { tenantRef: () => '0'.repeat(32) });
const granting = (asked: Fields) => readGrant(asked, Date.now());
const requestId = 'a'.repeat(64);

/** For each body that is described: what reads it, and bodies that name every field at least once. */
const bodies: [keyof typeof hostOperations, (asked: Fields) => unknown, Fields[]][] = [
  ['setFreeze', freezing, [{ target: { kind: 'server', name: 'mail' }, why: 'x' }]],
  ['liftFreeze', readLift, [{ why: 'x' }]],
  ['reconcileToolCall', readReconciliation, [{ verdict: 'ran', attempt: 1, why: 'x' }]],
  [
    'createGrant',
    granting,
    [
      { requestId, count: 1 },
      { server: 's', tool: 't', pattern: {}, user: 'u', until: Date.now() + 1e6, count: 2 },
    ],
  ],
  ['spendDecision', readSpend, [{ id: 'x', claimId: randomUUID() }]],
  ['mintSession', readNothing, [{}]],
];

it.each(bodies)(
  'P2 describes the body of %s as it is read: every field, what may not be left out, and nothing else',
  (id, read, samples) => {
    const { body } = hostOperations[id] as unknown as { body: { properties: Fields; required?: string[] } };
    const named = new Set(samples.flatMap((sample) => Object.keys(sample)));
    expect([...named].sort()).toEqual(Object.keys(body.properties).sort());
    for (const sample of samples) {
      expect(() => read(sample)).not.toThrow();
      expect(() => read({ ...sample, stray: 1 })).toThrow();
    }
    for (const name of body.required ?? []) {
      const { [name]: _, ...rest } = samples[0]!;
      expect(() => read(rest)).toThrow();
    }
  },
);
