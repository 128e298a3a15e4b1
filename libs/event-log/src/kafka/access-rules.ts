import { type TopicDefinition, topics } from '@doorledger/contracts';

/** The Kafka users of a deployment (V4). */
export interface Principals {
  readonly host: string;
  readonly projector: string;
  readonly analytics: string;
  readonly operator: string;
}

export interface AccessRule {
  readonly principal: keyof Principals;
  readonly operations: readonly string[];
  readonly topics: readonly string[];
  /** Consumer groups by the beginning of their names. */
  readonly groups?: string;
}

const namesWhere = (isMeant: (topic: TopicDefinition) => boolean): string[] =>
  Object.values(topics as Record<string, TopicDefinition>)
    .filter(isMeant)
    .map(({ name }) => name);

/** Every group of ours is named so: projectors divide partitions by one (K11). */
const GROUPS = 'doorledger-';

/** Of those who read in analytics: their groups can never be one of ours. */
const ANALYTICS_GROUPS = 'analytics-';

/** The consumer group of the projectors that fold a deployment's log into one ledger: those of another ledger read everything too. */
export const projectorGroup = (deployment: string, ledgerId: string): string => `${GROUPS}${deployment}-projector-${ledgerId}`;

const all = namesWhere(() => true);

/**
 * Who may do what (V4): hosts write the truth topics and the projector the feeds made of them; both read everything that is
 * truth; analytics reads public topics only; operators make the topics, cut those that may be cut, and say what they did.
 */
export const accessRules: readonly AccessRule[] = [
  { principal: 'host', operations: ['Read', 'Write'], topics: namesWhere(({ holds }) => holds === 'truth') },
  { principal: 'host', operations: ['Describe', 'DescribeConfigs'], topics: all },
  { principal: 'projector', operations: ['Read', 'Describe', 'DescribeConfigs'], topics: all },
  { principal: 'projector', operations: ['Read', 'Describe'], topics: [], groups: GROUPS },
  { principal: 'projector', operations: ['Write'], topics: namesWhere(({ holds }) => holds === 'derived') },
  { principal: 'analytics', operations: ['Read', 'Describe'], topics: namesWhere(({ visible }) => visible === 'public') },
  { principal: 'analytics', operations: ['Read', 'Describe'], topics: [], groups: ANALYTICS_GROUPS },
  { principal: 'operator', operations: ['Read', 'Describe', 'DescribeConfigs', 'Create', 'AlterConfigs'], topics: all },
  // On private: names that a cut would take, written again (X3).
  {
    principal: 'operator',
    operations: ['Write'],
    topics: [topics.system.name, topics.session.name, topics.spend.name, topics.private.name],
  },
  { principal: 'operator', operations: ['Delete'], topics: [topics.ingress.name, topics.private.name] },
];

/** The rules as commands of Kafka's own tool, one a line: `doorledger topics --acls`. */
export function accessCommands(bootstrap: readonly string[], principals: Principals): string[] {
  return accessRules.map(({ principal, operations, topics: names, groups }) =>
    [
      `kafka-acls.sh --bootstrap-server ${bootstrap.join(',')} --add --allow-principal User:${principals[principal]}`,
      ...operations.map((operation) => `--operation ${operation}`),
      ...names.map((name) => `--topic ${name}`),
      ...(groups === undefined ? [] : [`--group ${groups} --resource-pattern-type prefixed`]),
    ].join(' '),
  );
}
