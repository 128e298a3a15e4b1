import { encode, eventOf, topics, type EventOrigin, type FactData } from '@doorledger/contracts';
import { AppendIndefiniteError, appendUntilDurable, type EventLog, type NewRecord } from '@doorledger/event-log';
import type { Composer } from '../composer.js';
import { Refused } from '../refused.js';
import { failure, type Terminal } from '../wire/terminal.js';
import type { ApiCall } from './host-api.js';
import { isUuid } from './operator-asks.js';
import { namespaceOf } from './service-caller.js';

export interface ExternalIngressApiOptions {
  readonly composer: Pick<Composer, 'callerOf'>;
  readonly log: Pick<EventLog, 'append'>;
  readonly origin: EventOrigin;
}

type Recorded = FactData<'ingress.recorded'>;
type Fields = Readonly<Record<string, unknown>>;

const MAX_RECORDS = 500;
const FILE_MS = 5000;

/** What a record may say (spec 5); its place is made here. */
const known: ReadonlySet<string> = new Set([
  ...['id', 'seq', 'at', 'door', 'op', 'outcome', 'errorCode', 'errorName', 'identityFailure', 'claimedUser', 'userRef', 'sessionRef'],
  ...['bearerPresent', 'admission', 'turnArtifactsFailure', 'turnId', 'durationMs'],
]);

const how =
  'Send {"door", "bootId", "records"} and nothing else: the door is 1 to 64 letters, digits, ".", "_" and "-", the bootId a UUID of one life of ' +
  'it, and there are 1 to 500 records.';

/** Records of somebody else's door (N41): marked as such, and outside the count of this host. */
export class ExternalIngressApi {
  constructor(private readonly options: ExternalIngressApiOptions) {}

  /** Answers when all of them are on the log. To file the same ones again files nothing: they are told by their ids. */
  async file(fields: Fields, { presented, signal, trace }: ApiCall): Promise<Terminal> {
    const { composer, log } = this.options;
    const caller = await composer.callerOf(presented, signal, trace);
    const namespace = namespaceOf(caller);
    const { door, bootId, records: given, ...others } = fields;
    const isBatch = Array.isArray(given) && given.length > 0 && given.length <= MAX_RECORDS;
    const isNamed = typeof door === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(door);
    if (Object.keys(others).length > 0 || !isBatch || !isNamed || !isUuid(bootId)) throw invalid(how);
    // No host's id has a slash.
    const place = { hostId: `${namespace}/${door}`, bootId, ...(caller.tenantRef !== undefined && { tenantRef: caller.tenantRef }) };
    const records = (given as readonly unknown[]).map((record, index) => this.#recordOf(record, place, index));
    const until = performance.now() + FILE_MS;
    try {
      await appendUntilDurable(log, topics.ingress.name, records, () => performance.now() > until);
    } catch (error) {
      if (!(error instanceof AppendIndefiniteError)) throw error;
      throw new Refused(failure('ERR_LOG_UNAVAILABLE', 'The log did not confirm these records in time. Send them again as they are.'));
    }
    return { kind: 'api', status: 200, body: { filed: records.length } };
  }

  #recordOf(record: unknown, place: Pick<Recorded, 'hostId' | 'bootId' | 'tenantRef'>, index: number): NewRecord {
    const { id, ...data } = isObject(record) && Object.keys(record).every((name) => known.has(name)) ? record : {};
    const fact = { type: 'ingress.recorded', data: { ...(data as Omit<Recorded, 'source'>), source: 'external', ...place } } as const;
    try {
      return { key: fact.data.sessionRef ?? place.hostId, ...encode({ ...eventOf(fact, this.options.origin), id: id as string }) };
    } catch {
      const sentence = `Record ${index} is none of docs/spec/5-ingress.md with an id (UUID, version 7) and a seq from 1, and nothing else.`;
      throw new Refused(failure('ERR_INVALID_QUERY', sentence, { details: { index } }));
    }
  }
}

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
const invalid = (sentence: string): Refused => new Refused(failure('ERR_INVALID_QUERY', sentence));
