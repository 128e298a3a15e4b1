import { loadConfig, peersOf, type ConfigError } from './index.js';

const kafka = { DOORLEDGER_LOG: 'kafka', DOORLEDGER_KAFKA_BROKERS: 'broker:9092', DOORLEDGER_KEY: 'a'.repeat(64), DOORLEDGER_HOST_ID: 'a' };
const load = (peers: string, env: NodeJS.ProcessEnv = kafka, warn: (sentence: string) => void = () => {}) =>
  loadConfig({ cwd: '/nowhere', env: { ...env, DOORLEDGER_PEERS: peers }, warn });
const problems = (peers: string) => {
  try {
    load(peers);
    return [];
  } catch (error) {
    return (error as ConfigError).problems;
  }
};

it('L6 reads where each other host answers; the own entry of a list that all share says nothing', () => {
  const list = 'a=http://a.hosts:8080, b=http://b.hosts:8080,c=https://c.example/inner';
  expect([...peersOf(load(list))]).toEqual([
    ['b', 'http://b.hosts:8080'],
    ['c', 'https://c.example/inner'],
  ]);
});

it.each(['b', 'b=b.hosts:8080', 'b=ftp://b.hosts', 'b=http://user@b.hosts', '=http://b.hosts', 'b=http://b.hosts?x'])(
  'L6 refuses %s as a peer',
  (peer) => {
    expect(problems(peer)).toEqual([expect.stringMatching(/peers.*must be a list of `hostId=address`/)]);
  },
);

it('L6 refuses a host that is named twice, and says that an embedded log has no peers', () => {
  expect(problems('b=http://b.hosts,b=http://c.hosts')).toEqual([expect.stringContaining('names a host twice')]);
  const told: string[] = [];
  const config = load('b=http://b.hosts', {}, (sentence) => told.push(sentence));
  expect([told, peersOf(config).size]).toEqual([['peers is not used, because log is not kafka.'], 0]);
});
