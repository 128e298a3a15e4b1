import { Option } from 'commander';
import type { CommandLine } from './command-line.js';
import { addUpkeepCommands } from './upkeep-commands.js';

const repeat = (value: string, before: readonly string[] = []) => [...before, value];

/** The commands that work on the log and the ledger (X4). */
export function addLogCommands(cli: CommandLine): void {
  cli
    .add({
      usage: 'topics',
      about: 'List the topics of the log: what they hold and how far they reach. On Kafka: make, check and guard them.',
      isKeyless: true,
      examples: ['doorledger topics', 'doorledger topics | jq .name', 'doorledger topics --create && doorledger topics --check'],
      run: async (context, options) => {
        const asked = (['create', 'check', 'acls'] as const).find((name) => options[name] === true);
        if (asked === undefined) return (await import('./commands/topics.js')).topics(context);
        return (await import('./commands/kafka-topics.js'))[asked](context);
      },
    })
    .addOption(new Option('--create', 'make the topics that are missing on Kafka, and set right what can be').conflicts(['check', 'acls']))
    .addOption(new Option('--check', 'say what is wrong with the topics on Kafka, and the mend').conflicts('acls'))
    .option('--acls', 'print the commands that give each user of the deployment its rights on Kafka');
  cli
    .add({
      usage: 'tail',
      about: 'Print facts as they happen: one line each, JSON when piped.',
      isKeyless: true,
      examples: [
        'doorledger tail',
        'doorledger tail --type "turn.*" --from start --no-follow',
        'doorledger tail --from session:3:120 | jq .event.data',
      ],
      run: async (context, options) => (await import('./commands/tail.js')).tail(context, options),
    })
    .option('--type <type>', 'only facts of this type; `turn.*` takes a family; may be repeated', repeat)
    .option('--topic <name>', 'only this topic, such as `session`; may be repeated (default: all public ones)', repeat)
    .option('--from <place>', '`start`, `end` or `topic:partition:offset` (default: end, or start with --no-follow)')
    .option('--no-follow', 'stop at the end of the log');
  cli
    .add({
      usage: 'export',
      about:
        'Write the facts of public topics up to the end of the log: one JSON document a line, or a file with typed columns for each kind of fact, ' +
        'in a new folder (docs/analytics).',
      isKeyless: true,
      examples: [
        'doorledger export > facts.jsonl',
        'doorledger export --topic session --topic spend --out facts.jsonl',
        'doorledger export --format parquet --out facts',
      ],
      run: async (context, options) => (await import('./commands/export.js')).exportFacts(context, options),
    })
    .addOption(new Option('--format <format>', 'how facts are written').choices(['jsonl', 'parquet', 'csv']).default('jsonl'))
    .option('--topic <name>', 'only this topic, such as `session`; may be repeated (default: all public ones)', repeat)
    .option('--from <place>', '`start` or `topic:partition:offset` (default: start)')
    .option('--out <path>', 'the file, or the folder of typed files; it has its name only once it is whole');
  cli
    .add({
      usage: 'replay',
      about: 'Build the ledger anew from the start of the log, beside the live one, and compare their digests.',
      examples: ['doorledger replay', 'doorledger replay --switch    and take the new one into use'],
      run: async (context, options) => (await import('./commands/replay.js')).replay(context, options),
    })
    .option('--switch', 'take the new generation into use, by the running process if there is one');
  cli
    .add({
      usage: 'doctor',
      about: 'Say what is wrong here and how to mend it: settings, folder, disk, log, key, ledger, clock, ports, process. Changes nothing.',
      isKeyless: true,
      examples: ['doorledger doctor', 'doorledger doctor --json | jq ".findings[] | select(.isWell | not)"'],
      run: async (context, options) => (await import('./commands/doctor.js')).doctor(context, options),
    })
    .option('--json', 'one JSON document');
  cli
    .add({
      usage: 'verify',
      about: 'Check the whole log against its checkpoints, what is stated of it, and that the ledger equals a replay of it.',
      isKeyless: true,
      flags: ['checkpoints.folder'],
      examples: [
        'doorledger verify && echo sound',
        'doorledger verify --data copy --checkpoints-folder checkpoints --public-key theirs.pem    as an auditor',
      ],
      run: async (context, options) => (await import('./commands/verify.js')).verify(context, options),
    })
    .option('--public-key <file>', 'trust only the public keys in this PEM file (default: those beside the checkpoints)')
    .option('--no-checkpoints', 'verify without checkpoints');
  cli.add({
    usage: 'backup <dir>',
    about: 'Copy the log, the ledger and the keys of a running deployment into an empty folder, and check the copy.',
    examples: ['doorledger backup /backups/today'],
    run: async (context, options) => (await import('./commands/backup.js')).backup(context, options),
  });
  addUpkeepCommands(cli);
  cli
    .add({
      usage: 'move',
      about: 'Carry the log of the data folder to Kafka, where it goes on as the same log; give the settings that hosts will have there.',
      examples: ['doorledger move --to kafka', 'doorledger move --to kafka --yes-i-know'],
      run: async (context, options) => (await import('./commands/move.js')).move(context, options),
    })
    .addOption(new Option('--to <log>', 'where to').choices(['kafka']).makeOptionMandatory())
    .option('--yes-i-know', 'ask nothing');
  cli
    .add({
      usage: 'adopt',
      about: 'Make a log that was moved, or whose topics were made anew, the log again; with --fold, raise the version it is folded by.',
      examples: ['doorledger adopt', 'doorledger adopt --yes-i-know', 'doorledger adopt --fold    once every host runs this release'],
      run: async (context, options) => (await import('./commands/adopt.js')).adopt(context, options),
    })
    .option('--fold', 'fold the log by the newest version this release knows; older releases are refused from then on')
    .option('--other-key', 'take another deployment key: nothing that was sealed under the former one is ever opened again')
    .option('--yes-i-know', 'ask nothing');
}
