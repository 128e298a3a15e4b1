import kafkajs from 'kafkajs';

// kafkajs is CommonJS, and Node finds only some of its names.
const { MemberAssignment, MemberMetadata } = kafkajs.AssignerProtocol;

/** Partitions by topic. */
export type Partitions = Readonly<Record<string, readonly number[]>>;

export interface GroupMember {
  readonly memberId: string;
  /** As `subscriptionOf` made it. */
  readonly memberMetadata: Buffer;
}

/** How the group divides, in the brokers' records: members that divide in another way are refused. */
export const DIVISION = 'doorledger';
const VERSION = 0;

/** What a member says when it joins. In Kafka's own format, so that Kafka's tools can show the group. */
export const subscriptionOf = (topics: Iterable<string>): Buffer =>
  MemberMetadata.encode({ version: VERSION, topics: [...topics], userData: Buffer.alloc(0) });

/**
 * Who reads what: equal partition numbers of all topics go together, for what a session wrote to several topics mostly lies at one number
 * of each and its rows are then written by one projector. A member of another release gets only topics that it knows.
 */
export function divide(members: readonly GroupMember[], topics: ReadonlyMap<string, number>): Map<string, Partitions> {
  const known = members
    .map(({ memberId, memberMetadata }) => ({ memberId, topics: new Set(MemberMetadata.decode(memberMetadata)?.topics) }))
    .sort((a, b) => (a.memberId < b.memberId ? -1 : 1));
  const shares = new Map(known.map(({ memberId }): [string, Record<string, number[]>] => [memberId, {}]));
  for (const [topic, partitions] of topics) {
    const readers = known.filter((member) => member.topics.has(topic));
    for (let partition = 0; partition < partitions && readers.length > 0; partition++) {
      const { memberId } = readers[partition % readers.length]!;
      (shares.get(memberId)![topic] ??= []).push(partition);
    }
  }
  return shares;
}

export const encodeShare = (share: Partitions): Buffer =>
  MemberAssignment.encode({
    version: VERSION,
    assignment: Object.fromEntries(Object.entries(share).map(([topic, partitions]) => [topic, [...partitions]])),
    userData: Buffer.alloc(0),
  });

/** A member that got nothing was sent nothing. */
export const decodeShare = (bytes: Buffer): Partitions => (bytes.length === 0 ? {} : (MemberAssignment.decode(bytes)?.assignment ?? {}));
