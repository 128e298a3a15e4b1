/** The topics of spec 9. Topics follow ordering, not type: what must be ordered together shares one topic and one key. */
export interface TopicDefinition {
  readonly name: string;
  /** Partition counts, fixed at creation: on a cluster, and on the embedded log. */
  readonly partitions: { readonly cluster: number; readonly embedded: number };
  readonly visible: 'public' | 'private';
  /** `truth` topics are never cut or compacted (N21); `derived` ones can be made again by the projector. */
  readonly holds: 'truth' | 'derived';
  /** Topics whose fold decides claims: an unreadable record there blocks its key (L8) instead of going to quarantine. */
  readonly claims: boolean;
  /** Largest record value in bytes (spec 9). */
  readonly maxBytes: number;
  readonly description: string;
}

const PUBLIC_BYTES = 8 * 1024;
const PRIVATE_BYTES = 640 * 1024;

function topic(
  name: string,
  cluster: number,
  embedded: number,
  description: string,
  other: Partial<Pick<TopicDefinition, 'visible' | 'holds' | 'claims'>> = {},
): TopicDefinition {
  const visible = other.visible ?? 'public';
  return {
    name: `doorledger.${name}.v1`,
    partitions: { cluster, embedded },
    visible,
    holds: other.holds ?? 'truth',
    claims: other.claims ?? false,
    maxBytes: visible === 'private' ? PRIVATE_BYTES : PUBLIC_BYTES,
    description,
  };
}

export const topics = {
  session: topic('session', 48, 4, 'Who holds a session, what it waits for, what was spent and sent. Key: sessionRef, else turnId.', {
    claims: true,
  }),
  toolSession: topic('tool-session', 12, 4, 'Tool sessions started, reused, closed. Key: keyHash.'),
  ingress: topic('ingress', 12, 4, 'How the doors answered each request. Key: sessionRef, else hostId.'),
  spend: topic('spend', 12, 4, "Other people's ledgers and remembered grants. Key: namespace/id or grant/grantId.", { claims: true }),
  system: topic('system', 1, 1, 'Genesis, hosts, freezes, revocations, retention. One partition; one key per concern.'),
  private: topic('private', 48, 4, 'Encrypted content: messages, arguments, paused state, artifacts, names.', { visible: 'private' }),
  consent: topic('consent', 12, 4, 'Feed of consents derived by the projector. Key: requestId.', { holds: 'derived' }),
} as const satisfies Record<string, TopicDefinition>;

export type TopicKey = keyof typeof topics;

export const topicByName: ReadonlyMap<string, TopicDefinition> = new Map(Object.values(topics).map((t) => [t.name, t]));

/** Partition count per topic name, for the embedded log or for a cluster. */
export const partitionCounts = (size: keyof TopicDefinition['partitions']): ReadonlyMap<string, number> =>
  new Map(Object.values(topics).map(({ name, partitions }) => [name, partitions[size]]));
