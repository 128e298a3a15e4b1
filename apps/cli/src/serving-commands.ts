import type { CommandLine } from './command-line.js';

const DOOR = ['host', 'port', 'hostId', 'concurrency', 'door.path'];

/** The commands that stay: `up`, `host`, `projector`. */
export function addServingCommands(cli: CommandLine): void {
  cli.add({
    usage: 'up',
    about: 'Start everything in one process: doors, ledger and console on the embedded log.',
    examples: ['doorledger up', 'doorledger up --port 9000 --data /var/lib/doorledger'],
    flags: [...DOOR, 'projectorPort'],
    run: async ({ config }) => (await import('./commands/serve.js')).serve(() => import('../../standalone/src/start.js'), config),
  });
  cli.add({
    usage: 'host',
    about: 'Start a host: the doors, where turns run.',
    examples: ['doorledger host --host-id blue --port 8080'],
    flags: DOOR,
    run: async ({ config }) => (await import('./commands/serve.js')).serve(() => import('../../host/src/start.js'), config),
  });
  cli.add({
    usage: 'projector',
    about: 'Start a projector: log in, ledger tables and the ledger API out.',
    examples: ['doorledger projector --projector-port 8081'],
    flags: ['host', 'projectorPort'],
    run: async ({ config }) => (await import('./commands/serve.js')).serve(() => import('../../projector/src/start.js'), config),
  });
}
