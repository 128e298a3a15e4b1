import { randomBytes } from 'node:crypto';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startKafka } from '../kafka/kafka.mjs';
import { startPostgres } from '../postgres/postgres.mjs';
import { openWays } from './ways.mjs';

const CLI = fileURLToPath(new URL('../../dist/apps/cli/src/main.js', import.meta.url));

const CLOCK = new URL('shifted-clock.mjs', import.meta.url).href;
const DISK_MB = 512;

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/**
 * The whole system as real processes on this machine: a Kafka cluster, PostgreSQL, hosts and projectors of the built product.
 * Of a `fragile` one the ways of each host can be cut, its clock can be set, and the last of three brokers has a disk that can be full.
 * What a process says on stderr goes to `say`, line by line.
 */
export async function startCluster({
  brokers = 3,
  hosts = 3,
  projectors = 2,
  peers = false,
  settings = {},
  fragile = false,
  say = () => {},
} = {}) {
  const home = mkdtempSync(join(tmpdir(), 'doorledger-cluster-'));
  const ways = await Promise.all(Array.from({ length: fragile ? hosts : 0 }, () => openWays(brokers)));
  const smallDisk = fragile && brokers > 2 ? { broker: brokers, megabytes: DISK_MB } : undefined;
  const links = ways.map(({ ports }, i) => ({ name: `HOST${i + 1}`, ports }));
  const [kafka, postgres] = await Promise.all([startKafka({ brokers, links, smallDisk }), startPostgres({ durable: true })]);
  for (const [i, way] of ways.entries())
    way.lead(
      kafka.bootstrap.map((_, broker) => kafka.linkPort(i, broker + 1)),
      Number(new URL(postgres.url()).port),
    );
  const env = {
    ...process.env,
    NODE_OPTIONS: '',
    DOORLEDGER_LOG: 'kafka',
    DOORLEDGER_STORE: 'postgres',
    DOORLEDGER_KAFKA_BROKERS: kafka.bootstrap.join(','),
    DOORLEDGER_KAFKA_DEV: brokers < 3 ? 'true' : 'false',
    DOORLEDGER_DATABASE_URL: postgres.url(),
    DOORLEDGER_KEY: randomBytes(32).toString('hex'),
    DOORLEDGER_LOGGING_LEVEL: 'warn',
    DOORLEDGER_LOGGING_FORMAT: 'json',
    ...settings,
  };
  const running = new Map();

  function launch(node) {
    const child = spawn(process.execPath, ['--enable-source-maps', CLI, node.command, '--data', node.dir], {
      env: { ...env, ...node.env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.stderr.on('data', (chunk) => say(node.name, chunk.toString()));
    child.exited = new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)));
    child.exited.then(() => running.get(node.name) === child && running.delete(node.name));
    running.set(node.name, child);
  }

  async function node(command, name, portVariable) {
    const port = await freePort();
    return {
      command,
      name,
      url: `http://127.0.0.1:${port}`,
      dir: join(home, name),
      env: { DOORLEDGER_HOST_ID: name, [portVariable]: String(port) },
    };
  }

  const nodes = await Promise.all([
    ...Array.from({ length: projectors }, (_, i) => node('projector', `projector-${i + 1}`, 'DOORLEDGER_PROJECTOR_PORT')),
    ...Array.from({ length: hosts }, (_, i) => node('host', `host-${i + 1}`, 'DOORLEDGER_PORT')),
  ]);
  if (peers)
    env.DOORLEDGER_PEERS = nodes
      .filter((n) => n.command === 'host')
      .map(({ name, url }) => `${name}=${url}`)
      .join();
  const byName = new Map(nodes.map((n) => [n.name, n]));
  const clockOf = (name) => join(home, `${name}.clock`);
  for (const [i, way] of ways.entries()) {
    const host = byName.get(`host-${i + 1}`);
    host.ways = way;
    writeFileSync(clockOf(host.name), '0');
    const own = new URL(postgres.url());
    own.port = String(way.database.port);
    Object.assign(host.env, {
      DOORLEDGER_KAFKA_BROKERS: way.ports.map((port) => `127.0.0.1:${port}`).join(','),
      DOORLEDGER_DATABASE_URL: own.href,
      NODE_OPTIONS: `--import=${CLOCK}`,
      CLOCK_SHIFT_FILE: clockOf(host.name),
    });
  }

  const cluster = {
    kafka,
    postgres,
    env,
    hosts: nodes.filter((n) => n.command === 'host').map(({ name, url }) => ({ name, url })),
    projectors: nodes.filter((n) => n.command === 'projector').map(({ name, url }) => ({ name, url })),
    /** The built command line against this cluster. */
    run: (args) => spawn(process.execPath, [CLI, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] }),
    async ready(name, timeoutMs = 240_000) {
      for (const end = Date.now() + timeoutMs; Date.now() < end; await sleep(50)) {
        const answer = await fetch(`${byName.get(name).url}/ready`, { signal: AbortSignal.timeout(2000) }).catch(() => undefined);
        if (answer?.status === 200) return;
        if (!running.has(name)) throw new Error(`${name} has ended`);
      }
      throw new Error(`${name} is not ready after ${timeoutMs} ms`);
    },
    async kill(name) {
      const child = running.get(name);
      child.kill('SIGKILL');
      await child.exited;
    },
    /** SIGTERM; resolves with the exit code, or the signal that ended it. */
    async end(name) {
      const child = running.get(name);
      child.kill('SIGTERM');
      return child.exited;
    },
    pause: (name) => running.get(name).kill('SIGSTOP'),
    resume: (name) => running.get(name).kill('SIGCONT'),
    start: (name) => launch(byName.get(name)),
    pid: (name) => running.get(name).pid,
    ways: (name) => byName.get(name).ways,
    setClock: (name, shiftMs) => writeFileSync(clockOf(name), String(shiftMs)),
    async stop() {
      const children = [...running.values()];
      for (const way of ways) way.heal();
      for (const child of children) {
        child.kill('SIGCONT');
        child.kill('SIGTERM');
      }
      await Promise.all(children.map((child) => child.exited));
      await Promise.all([kafka.stop(), postgres.stop()]);
      await Promise.all(ways.map((way) => way.close()));
      rmSync(home, { recursive: true, force: true });
    },
  };
  try {
    const made = cluster.run(['topics', '--create']);
    made.stdout.resume();
    const code = await new Promise((resolve) => made.once('exit', resolve));
    if (code !== 0) throw new Error(`doorledger topics --create ended with ${code}`);
    for (const n of nodes) launch(n);
    await Promise.all(nodes.map((n) => cluster.ready(n.name)));
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  return cluster;
}
