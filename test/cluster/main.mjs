import { startCluster } from './cluster.mjs';

process.stderr.write('Starting Kafka (3 brokers), PostgreSQL, 3 hosts and 2 projectors…\n');
const cluster = await startCluster({ say: (name, text) => process.stderr.write(text.replace(/^(?=.)/gm, `${name}: `)) });
const [door] = cluster.hosts;
process.stdout.write(
  [
    ...cluster.hosts.map(({ name, url }) => `${name.padEnd(12)} ${url}/invoke`),
    ...cluster.projectors.map(({ name, url }) => `${name.padEnd(12)} ${url}/v1/sessions`),
    `Kafka        ${cluster.kafka.bootstrap.join(',')}`,
    `PostgreSQL   ${cluster.postgres.url()}`,
    `Try          curl -s ${door.url}/invoke -H 'content-type: application/json' -d '{"input":"hello","sessionId":"first"}'`,
    'Ctrl-C ends all of it.',
    '',
  ].join('\n'),
);
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    process.stderr.write('Stopping…\n');
    cluster.stop().then(() => process.exit(0));
  });
