import type { CommandLine } from './command-line.js';

const repeat = (value: string, before: readonly string[] = []) => [...before, value];

/** What operators do to the records of a deployment: by the process that runs on the data folder, or in its stead (X4). */
export function addUpkeepCommands(cli: CommandLine): void {
  cli
    .add({
      usage: 'erase',
      about: 'Make everything that was said in a session, or by a person, unreadable for ever, and print a receipt.',
      examples: ['doorledger erase --session my-session', 'doorledger erase --user 9d387064e53110d49ad7b6d4e00a1402 > receipt.json'],
      run: async (context, options) => (await import('./commands/erase.js')).erase(context, options),
    })
    .option('--session <id>', 'the session of this id')
    .option('--tenant <name>', 'with --session: the tenant it belongs to')
    .option('--session-ref <ref>', 'the session of this reference, as the ledger shows it')
    .option('--user <ref>', 'the person of this reference, with all their sessions');
  cli
    .add({
      usage: 'retain',
      about: 'Say which old records of the topics ingress and private would go; with --yes, take them off the log.',
      examples: ['doorledger retain --older-than 30d', 'doorledger retain --older-than 30d --topic ingress --yes'],
      run: async (context, options) => (await import('./commands/retain.js')).retain(context, options),
    })
    .requiredOption('--older-than <age>', 'how old records have to be: days, hours or minutes, such as 30d, 12h or 90m')
    .option('--topic <name>', 'only this topic: `ingress` or `private`; may be repeated (default: both)', repeat)
    .option('--yes', 'do it');
  cli
    .add({
      usage: 'repair',
      about: 'List the sessions that a record nobody can read has blocked; with --key, treat that record as void.',
      examples: ['doorledger repair', 'doorledger repair --key 9d387064e53110d49ad7b6d4e00a1402'],
      run: async (context, options) => (await import('./commands/repair.js')).repair(context, options),
    })
    .option('--key <key>', 'the blocked key, as the list shows it')
    .option('--yes-i-know', 'ask nothing');
  cli.add({
    usage: 'rotate-key',
    about: 'Wrap every content key under a new key. References, names and content stay what they are.',
    examples: ['doorledger rotate-key'],
    run: async (context) => (await import('./commands/rotate-key.js')).rotateKey(context),
  });
}
