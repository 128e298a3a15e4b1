import { Option } from 'commander';
import type { CommandLine } from './command-line.js';
import { demoConfigOf } from './demo/demo-config.js';

const DOOR = ['host', 'port', 'hostId', 'concurrency', 'door.path'];

/** The commands that stay: `up`, `host`, `projector`, `demo`. */
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
  cli
    .add({
      usage: 'demo',
      about:
        'Start everything in a folder of its own, with tools that reach nothing, and fill it with an hour of requests in half a minute: turns, ' +
        'tool calls, refusals, and consents that wait and that ended in every way. Every fact of it comes of a request at a real door.',
      examples: [
        'doorledger demo                                   and decide what waits',
        'doorledger demo --keep-going                      and watch it move',
        'doorledger demo --once --json --data /tmp/demo    and read what the ledger says of it',
        'doorledger tail --data data/demo --from start     in another terminal: its facts',
      ],
      flags: ['port'],
      configured: demoConfigOf,
      run: async (context, options) => (await import('./commands/demo.js')).demo(context, options),
    })
    .option('--keep-going', 'go on at a gentle rate until Ctrl-C')
    .addOption(new Option('--once', 'stop when the hour is over').conflicts('keepGoing'))
    .option('--json', 'print what the ledger says of the hour as one JSON document');
}
