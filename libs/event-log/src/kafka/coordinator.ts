import { brokerError } from './broker-errors.js';
import { type BrokerAddress, BrokerLink } from './broker-link.js';
import { onNode } from './broker-request.js';
import type { ClusterView } from './cluster-view.js';
import { DIVISION, encodeShare, type GroupMember, type Partitions, subscriptionOf } from './division.js';
import { shuffled, timeoutsOf } from './kafka-options.js';

/** A code other than `none` leaves the rest without meaning, but for the `memberId` that comes with `memberIdRequired`. */
interface Answer {
  readonly errorCode: number;
}

export interface JoinAnswer extends Answer {
  readonly generationId: number;
  readonly leaderId: string;
  readonly memberId: string;
  /** Of the whole group for its leader, else empty. */
  readonly members: readonly GroupMember[];
}

export interface SyncAnswer extends Answer {
  readonly memberAssignment: Buffer;
}

/** The broker answered that it cannot do what a group needs, for now or at all. */
export class GroupRefusal extends Error {
  constructor(readonly errorCode: number) {
    super(`the group's coordinator answered ${errorCode}`);
  }
}

/** The broker that keeps a group, on a connection of its own: a join waits there. Every request has a deadline, so nothing can hang. */
export class Coordinator {
  readonly #link: BrokerLink;
  readonly #group: string;
  readonly #session: number;

  private constructor(link: BrokerLink, group: string, session: number) {
    this.#link = link;
    this.#group = group;
    this.#session = session;
  }

  /** @throws what the last broker asked answered, when none knew it. */
  static async find(view: ClusterView, group: string): Promise<Coordinator> {
    let failure: unknown = new Error('no broker is known');
    for (const nodeId of shuffled(view.nodes)) {
      try {
        const link = await BrokerLink.open(await askFor(view, nodeId, group), view.options);
        return new Coordinator(link, group, timeoutsOf(view.options).session);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  /** Waits for the other members to join as well. */
  async join(memberId: string, topics: Iterable<string>): Promise<JoinAnswer> {
    const parameters = {
      groupId: this.#group,
      memberId,
      protocolType: 'consumer',
      sessionTimeout: this.#session,
      rebalanceTimeout: this.#session,
      groupProtocols: [{ name: DIVISION, metadata: subscriptionOf(topics) }],
    };
    return (await this.#link.ask('JoinGroup', parameters, this.#session)) as JoinAnswer;
  }

  /** Waits for the leader's shares; the leader brings them. */
  async sync(memberId: string, generationId: number, shares: ReadonlyMap<string, Partitions>): Promise<SyncAnswer> {
    const groupAssignment = [...shares].map(([id, share]) => ({ memberId: id, memberAssignment: encodeShare(share) }));
    return (await this.#link.ask(
      'SyncGroup',
      { groupId: this.#group, memberId, generationId, groupAssignment },
      this.#session,
    )) as SyncAnswer;
  }

  async heartbeat(memberId: string, groupGenerationId: number): Promise<number> {
    return ((await this.#link.ask('Heartbeat', { groupId: this.#group, memberId, groupGenerationId })) as Answer).errorCode;
  }

  async leave(memberId: string): Promise<void> {
    await this.#link.ask('LeaveGroup', { groupId: this.#group, memberId });
  }

  close(): void {
    this.#link.close();
  }
}

async function askFor(view: ClusterView, nodeId: number, group: string): Promise<BrokerAddress> {
  const answer = (await onNode(view, nodeId, (link) => link.ask('GroupCoordinator', { groupId: group }))) as Answer & {
    readonly coordinator: BrokerAddress;
  };
  if (answer.errorCode !== brokerError.none) throw new GroupRefusal(answer.errorCode);
  return answer.coordinator;
}
