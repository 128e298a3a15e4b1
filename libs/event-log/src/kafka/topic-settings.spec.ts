import { topics } from '@doorledger/contracts';
import { problemsOf, settingsToSet, type TopicState } from './topic-settings.js';

const session = topics.session.name;
const good: TopicState = {
  partitions: 48,
  replicas: 3,
  settings: new Map([
    ['cleanup.policy', 'delete'],
    ['retention.ms', '-1'],
    ['retention.bytes', '-1'],
    ['message.timestamp.type', 'LogAppendTime'],
    ['min.insync.replicas', '2'],
    ['unclean.leader.election.enable', 'false'],
    ['compression.type', 'producer'],
    ['max.message.bytes', '1048588'],
  ]),
};
const withSetting = (name: string, value: string): TopicState => ({ ...good, settings: new Map([...good.settings, [name, value]]) });
const wrongOf = (state: TopicState | undefined, dev = false, topic = session) =>
  problemsOf(topic, 48, state, { dev }).map(({ setting }) => setting);

describe('the settings of a topic', () => {
  it('K13 has nothing against a topic that is as it must be', () => {
    expect(wrongOf(good)).toEqual([]);
    expect(wrongOf(withSetting('compression.type', 'gzip'))).toEqual([]);
  });

  it.each([
    ['cleanup.policy', 'compact'],
    ['cleanup.policy', 'compact,delete'],
    ['retention.ms', '604800000'],
    ['retention.bytes', '1073741824'],
    ['message.timestamp.type', 'CreateTime'],
    ['min.insync.replicas', '1'],
    ['unclean.leader.election.enable', 'true'],
    ['compression.type', 'zstd'],
    ['max.message.bytes', '1000000'],
  ])('K13 and N21 name %s=%s with what is wanted and the command that mends it', (setting, found) => {
    expect(problemsOf(session, 48, withSetting(setting, found), { dev: false })).toEqual([
      { topic: session, setting, found, wanted: expect.any(String), mend: 'doorledger topics --create' },
    ]);
  });

  it('K13 names a missing topic, a wrong partition count, and too few replicas', () => {
    expect(wrongOf(undefined)).toEqual(['topic']);
    expect(wrongOf({ ...good, partitions: 12 })).toEqual(['partitions']);
    expect(wrongOf({ ...good, replicas: 1 })).toEqual(['replication.factor']);
  });

  it('K13 relaxes replication and min.insync.replicas for development, and nothing else', () => {
    const settings = new Map([...good.settings].map(([name]) => [name, 'nonsense']));
    expect(wrongOf({ partitions: 12, replicas: 1, settings: settings.set('min.insync.replicas', '1') }, true)).toEqual([
      'partitions',
      'cleanup.policy',
      'retention.ms',
      'retention.bytes',
      'message.timestamp.type',
      'unclean.leader.election.enable',
      'compression.type',
      'max.message.bytes',
    ]);
  });

  it('K13 keeps for ever only what is truth: a derived feed may have its own retention', () => {
    expect(wrongOf(withSetting('retention.ms', '1'), false, topics.consent.name)).toEqual([]);
  });

  it('K13 sets what is wrong and leaves the rest as it is', () => {
    expect([...settingsToSet(session, { dev: false }, 3, withSetting('retention.ms', '5').settings)]).toEqual([['retention.ms', '-1']]);
    const made = settingsToSet(session, { dev: false }, 3);
    expect(wrongOf({ ...good, settings: made })).toEqual([]);
    expect(wrongOf({ ...good, replicas: 1, settings: settingsToSet(session, { dev: true }, 1) }, true)).toEqual([]);
  });
});
