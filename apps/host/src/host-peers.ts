import { peersOf, type DoorledgerConfig } from '@doorledger/config';
import type { PartitionTime, RecordBatch, SessionView } from '@doorledger/event-log';
import type { KnownHolders, LedgerReader } from '@doorledger/ledger';
import { ForwardedTurns, Holders, LiveHosts, PassCheck, Peers, type HopWork, type HostLife } from '@doorledger/peers';
import { PeerKey, type DeploymentKey } from '@doorledger/privacy';
import type { TurnRunner } from '@doorledger/turns';

export interface HostPeersOptions {
  readonly config: DoorledgerConfig;
  readonly bootId: string;
  readonly deploymentKey: DeploymentKey;
  readonly known: KnownHolders;
  /** Where the tail reads on in the system partition. */
  readonly systemTime: PartitionTime;
  readonly now: () => number;
}

/** What a host needs to know of the others before its tail begins; nothing where it has no peers. */
export const knownHolders = async (config: DoorledgerConfig, ledger: Pick<LedgerReader, 'holders'>): Promise<KnownHolders> =>
  peersOf(config).size > 0 ? ledger.holders() : { hosts: [], toolSessions: [] };

/** The other hosts in a host's life (L6). */
export class HostPeers {
  readonly peers: Peers;
  readonly #key: PeerKey;
  readonly #passes: PassCheck;
  readonly #holders: Holders;
  readonly #hosts: LiveHosts;

  constructor({ config, bootId, deploymentKey, known, systemTime, now }: HostPeersOptions) {
    const { hostId } = config;
    this.#key = new PeerKey(deploymentKey);
    this.peers = new Peers({ key: this.#key, hostId, addresses: peersOf(config), now });
    this.#passes = new PassCheck(this.#key, { hostId, bootId }, now);
    this.#holders = new Holders(known.toolSessions);
    this.#hosts = new LiveHosts(known.hosts, systemTime);
  }

  apply(batch: RecordBatch): void {
    this.#holders.apply(batch);
    this.#hosts.apply(batch);
  }

  /** The same turns, run where their sessions are held. */
  forwarded(here: TurnRunner, view: SessionView): ForwardedTurns {
    return new ForwardedTurns({ here, view, peers: this.peers, holderOf: (sessionRef) => this.#holderOf(sessionRef) });
  }

  /** What peers are served with. */
  work(runner: TurnRunner, view: SessionView): HopWork {
    return { key: this.#key, passes: this.#passes, runner, view };
  }

  /** Undefined where it is this host, or one whose address nobody configured. */
  #holderOf(sessionRef: string): HostLife | undefined {
    const holder = this.#holders.of(sessionRef).find((life) => this.#hosts.isAlive(life));
    return holder && this.peers.has(holder) ? holder : undefined;
  }
}
