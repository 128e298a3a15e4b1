import { topics } from '@doorledger/contracts';
import { issuersOf } from '@doorledger/config';
import { ArtifactOps, Composer, KnownPersons, SessionOps, TurnHandler, frozenTurns } from '@doorledger/doors';
import { Claims, SessionView, type LogPositions, type LogTail, type RecordBatch } from '@doorledger/event-log';
import type { LedgerPositions } from '@doorledger/ledger';
import { ContentKeys, References } from '@doorledger/privacy';
import {
  Decisions,
  FreezeBook,
  pendingReader,
  PrivateWriter,
  storedPause,
  TurnContent,
  TurnRunner,
  endEarlierRuns,
  frozenGates,
  frozenServers,
  sessionHistory,
} from '@doorledger/turns';
import { knownOf, type HostParts, type Known } from './host-parts.js';
import { configGates } from './config-gates.js';
import { hostApis, type HostApis } from './host-apis.js';
import { HostGrants } from './host-grants.js';
import { HostPeers } from './host-peers.js';
import { HostSpends } from './host-spends.js';
import { hostSweeps } from './host-sweeps.js';
import { HostTools } from './host-tools.js';
import { lettingGo } from './letting-go.js';
import { Liveness } from './liveness.js';
import { LogHealth } from './log-health.js';
import { meteredAppends, meteredServers } from './metrics/metered.js';

/** Topics whose order a host must know (L9), as far as something here reads them. */
const TAILED = [topics.session.name, topics.toolSession.name, topics.spend.name, topics.system.name];

/** What a host works with once its log and its ledger are there. */
export class HostLife {
  readonly references: References;
  readonly view: SessionView;
  readonly runner: TurnRunner;
  readonly tools: HostTools;
  /** What the doors' requests are judged by and run with. */
  readonly composer: Composer;
  readonly apis: HostApis;
  readonly peers: HostPeers;
  readonly log: LogHealth;
  /** Where its tail starts: at the ledger's places (L9). */
  readonly from: LogPositions;
  tail?: LogTail;
  readonly #parts: HostParts;
  readonly #claims: Claims;
  readonly #liveness: Liveness;
  readonly #sweep: ReturnType<typeof hostSweeps>;
  readonly #grants: HostGrants;
  readonly #spends: HostSpends;
  readonly #letGo: (batch: RecordBatch) => void;
  readonly #freezes = new FreezeBook();

  private constructor(parts: HostParts, places: LedgerPositions, { agent, Mcp, ...known }: Known) {
    const { config, bootId, log, ledger, logger, metrics, deploymentKey, keyStore, version, ingress, origin, logId } = parts;
    const { hostId } = config;
    const keys = new ContentKeys(deploymentKey, keyStore);
    this.#parts = parts;
    this.log = new LogHealth(meteredAppends(log, metrics));
    this.references = new References(deploymentKey);
    this.#freezes.seed(known.freezes);
    const isFrozen = ({ userRef, tenant }: { readonly userRef?: string; readonly tenant?: string }) =>
      this.#freezes.frozenBy({
        ...(userRef !== undefined && { userRef }),
        ...(tenant !== undefined && { tenantRef: this.references.tenantRef(tenant) }),
      }) !== undefined;
    const freezing = { freezes: this.#freezes, references: this.references };
    const gates = frozenGates(
      configGates(config, (sentence, err) => logger.warn({ err }, sentence)),
      freezing,
    );
    this.from = Object.fromEntries(TAILED.map((name) => [name, places.positions[name]!]));
    this.view = new SessionView({
      from: places.times[topics.session.name]!,
      row: async (key) => {
        const { state, time } = await ledger.sessionRow(key);
        return { state, next: time.next };
      },
    });
    this.#claims = new Claims({ log: this.log, view: this.view, origin });
    const history = sessionHistory({ ledger, log, keys });
    const content = new PrivateWriter({ log: this.log, keys, origin });
    this.#grants = new HostGrants({
      known: known.grants,
      log: this.log,
      records: log,
      keys,
      content,
      origin,
      isFrozen: (userRef) => isFrozen({ userRef }),
    });
    this.tools = new HostTools({ config, bootId, version, log: this.log, references: this.references, origin, logger }, Mcp);
    const { lane, servers, sessions } = this.tools;
    this.runner = new TurnRunner({
      hostId,
      bootId,
      view: this.view,
      claims: this.#claims,
      content,
      lane,
      servers: meteredServers(frozenServers(servers, freezing), metrics),
      sessions,
      gates,
      grants: this.#grants.grants,
      logId,
      ledger,
      agent,
      history,
      enqueue: config.concurrency === 'enqueue',
      bounds: config.turn,
    });
    this.peers = new HostPeers({
      config,
      bootId,
      deploymentKey,
      known: known.holders,
      systemTime: places.times[topics.system.name]![0]!,
      now: origin.now,
    });
    const said = new TurnContent({ view: this.view, said: history });
    const pauseOf = storedPause({ ledger, log, keys });
    const pendingOf = pendingReader(this.view, pauseOf);
    const { references, view } = this;
    const persons = new KnownPersons({ ledger, keys, content });
    this.#letGo = lettingGo(keys, persons, parts.onRevoked);
    const runner = frozenTurns(this.peers.forwarded(this.runner, view), freezing);
    const decisions = new Decisions({ view, claims: this.#claims, runner, ledger, pauseOf, gates, servers, logId, isFrozen });
    const ops = new SessionOps({ view, claims: this.#claims, ledger, keys, transcriptOf: (key) => said.transcriptOf(key), pendingOf });
    this.composer = new Composer({
      references,
      identify: parts.identify,
      admission: parts.admission,
      newSessions: config.door.newSessions,
      view,
      ops,
      artifacts: new ArtifactOps({ ledger, keys, now: origin.now }),
      turns: new TurnHandler({
        runner,
        references,
        decisions,
        earlier: { view, ledger, pendingOf, outputOf: said.outputOf },
        persons,
        severalIssuers: issuersOf(config).length > 1,
      }),
    });
    this.#spends = new HostSpends({
      places,
      ledger,
      log: this.log,
      records: log,
      origin,
      reach: async (position, ms) => this.tail !== undefined && this.tail.reach(position, ms),
    });
    this.apis = hostApis({
      ...{ composer: this.composer, references, view, claims: this.#claims, log, health: this.log, ledger, logId, logger },
      ...{ ops, pendingOf, outputOf: said.outputOf, pauseOf, decisions, gates, servers, freezes: this.#freezes, isFrozen },
      ...{ grants: this.#grants, spends: this.#spends, origin, lane, keys },
    });
    this.#liveness = new Liveness({ hostId, bootId, version, ingress, log: this.log, origin });
    this.#sweep = hostSweeps({ hostId, ledger, log: this.log, origin, decisions, logger });
  }

  static async open(parts: HostParts): Promise<HostLife> {
    const places = await parts.ledger.positions();
    // Not before the places: what the tail then meets once more changes nothing.
    return new HostLife(parts, places, await knownOf(parts));
  }

  /** Reads the log to its end, ends what an earlier life left (L13), and says on the log that it is there. */
  async begin(tail: LogTail): Promise<void> {
    this.tail = tail;
    const { config, bootId, ledger, logger } = this.#parts;
    while (!(await tail.catchUp(10_000)) && !tail.stoppedBy) logger.warn('Still reading the log to its end.');
    const ended = await endEarlierRuns({ hostId: config.hostId, bootId, ledger, view: this.view, claims: this.#claims });
    if (ended > 0) logger.info({ ended }, 'Ended the turns that an earlier life of this host had left open.');
    await this.tools.start();
    await this.#liveness.start();
    this.#sweep.start();
  }

  /** What the tail meets, in order. */
  met(batch: RecordBatch): void {
    this.view.apply(batch);
    this.tools.heard(batch);
    this.#grants.book.apply(batch);
    this.#spends.met(batch);
    this.peers.apply(batch);
    this.#letGo(batch);
    if (batch.topic === topics.system.name) this.#freezes.apply(batch);
  }

  /** The ledger has this partition up to `next` (L9). */
  projected(topic: string, partition: number, next: number): void {
    if (topic === topics.session.name) this.view.projected(partition, next);
    this.#spends.projected(topic, partition, next);
  }

  /** What keeps it from serving. */
  problems(): string[] {
    const problems: string[] = [];
    if (this.log.down) problems.push(`the log does not take facts (${this.log.down})`);
    if (this.tail?.stoppedBy) problems.push('the log cannot be read on');
    if (this.view.isBehind || this.#spends.isBehind) problems.push('the ledger is far behind the log');
    return problems;
  }

  /** Takes no more from the clock; lets running turns end, until `ms` have passed. */
  async drain(ms: number): Promise<void> {
    this.#sweep.close();
    const bound = setTimeout(() => this.runner.stop(), ms);
    await this.runner.drained();
    clearTimeout(bound);
  }

  /** When every request has its answer: flushes the records and says goodbye on the log. */
  async end(): Promise<void> {
    const { ingress } = this.#parts;
    await this.tools.close();
    ingress.close();
    await ingress.flushed();
    await this.#liveness
      .stop()
      .catch((err: unknown) => this.#parts.logger.warn({ err }, 'The log did not take the last word of this host.'));
  }
}
