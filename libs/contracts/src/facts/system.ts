import { Type } from '@sinclair/typebox';
import { fact, optional } from '../fact.js';
import { Count, HostId, Name, Ref, Sha256, Uuid, literals } from '../fields.js';
import { topics } from '../topics.js';

const identity = {
  logId: Uuid,
  /** The Kafka cluster id or the log file's id. */
  place: Name,
  topics: Type.Record(Type.String(), Type.Integer({ minimum: 1 })),
  foldVersion: Type.Integer({ minimum: 1 }),
  /** HMAC of a fixed text under the deployment key: another key is noticed, the key is not told. */
  keyCheck: Sha256,
};

export const LogGenesis = fact('log.genesis', topics.system, 'logId', 'The log names itself; the first one stands (K8).', identity);
export const LogAdopted = fact('log.adopted', topics.system, 'logId', 'An operator accepted this log under a new identity (K8).', {
  ...identity,
  by: optional(Ref),
});

const host = {
  hostId: HostId,
  bootId: Uuid,
  version: Name,
  foldVersion: Type.Integer({ minimum: 1 }),
  /** The last ingress place issued, and the last known to be durable (E11). */
  lastSeq: Count,
  durableSeq: Count,
};
export const HostStarted = fact('host.started', topics.system, 'hostId', 'A host came up.', host);
export const HostAlive = fact('host.alive', topics.system, 'hostId', 'A host is there; every 10 s.', host);
export const HostStopped = fact('host.stopped', topics.system, 'hostId', 'A host went down in good order.', host);

export const ToolChanged = fact('tool.changed', topics.system, 'tool', "A tool's definition is no longer the one pinned (M2).", {
  server: Name,
  tool: Name,
  from: Sha256,
  to: Sha256,
});

export const IdentityRevoked = fact('identity.revoked', topics.system, 'userRef', "A person's sessions and conversations end.", {
  userRef: Ref,
  by: Ref,
});

export const FreezeSet = fact('freeze.set', topics.system, 'freezeId', 'An operator stops a target (P6).', {
  freezeId: Uuid,
  target: Type.Object({ kind: literals('tool', 'server', 'tenant', 'user', 'everything'), name: optional(Name) }),
  by: Ref,
  why: Type.String({ minLength: 1, maxLength: 1000 }),
});
export const FreezeLifted = fact('freeze.lifted', topics.system, 'freezeId', 'The freeze is over.', {
  freezeId: Uuid,
  by: Ref,
  why: optional(Type.String({ maxLength: 1000 })),
});

export const RetentionApplied = fact('retention.applied', topics.system, 'topic', 'Records before this offset are gone by rule (X3).', {
  topic: Name,
  partition: Count,
  before: Count,
  by: Ref,
});

export const ContentRead = fact('content.read', topics.system, 'sessionRef', 'Somebody other than the party read content (P4).', {
  by: Ref,
  sessionRef: Ref,
  what: Name,
});
