import type { DoorledgerConfig } from '@doorledger/config';
import { Command, CommanderError } from 'commander';
import type { CommandContext, ExitCode } from './command-context.js';
import type { Output } from './output.js';
import { tell } from './refusal.js';
import { addSettingFlags, configOf } from './setting-flags.js';
import { oneSentence } from './usage.js';
import { version } from './version.js';

/** What commander read: options by name, and the arguments under `arguments`. */
export type Options = Readonly<Record<string, unknown>>;

export interface CommandDefinition {
  readonly usage: string;
  readonly about: string;
  /** Lines that can be typed as they stand. */
  readonly examples: readonly string[];
  /** Settings whose flags its help names besides `--data` and `--logging-level`. */
  readonly flags?: readonly string[];
  /** True for a command that neither seals nor opens anything: it runs without the deployment key. */
  readonly isKeyless?: boolean;
  /** Where its configuration comes from; left out, from wherever settings stand. */
  readonly configured?: (options: Options) => DoorledgerConfig;
  /** Loads the command's code when it runs: a command pays only for what it uses. */
  readonly run: (context: CommandContext, options: Options) => Promise<ExitCode>;
}

const HELP = `
Start here:
  doorledger demo               an hour of traffic to look at, in a folder of its own
  doorledger up                 everything in one process, data in ./data
  doorledger tail               see facts as they happen
  doorledger <command> --help   what a command does, with examples`;

const say = (line: string) => void process.stderr.write(`${line}\n`);

/** The commands and how they end: 0 done, 1 refused or not so, 2 not understood. */
export class CommandLine {
  readonly program = new Command('doorledger')
    .description('Doors, tool sessions, consent and a ledger for AI agents, on one replayable log.')
    .version(version(), '-V, --version')
    .exitOverride()
    .addHelpText('after', HELP);
  #code: ExitCode = 0;
  #isDebugging = false;

  constructor(readonly output: Output) {
    this.program.configureOutput({
      writeOut: (text) => output.stream.write(text),
      outputError: (text, write) => write(oneSentence(text)),
    });
  }

  /** A command that works with the configuration. */
  add({ usage, about, examples, flags = [], isKeyless = false, configured, run }: CommandDefinition): Command {
    const command = addSettingFlags(this.program.command(usage), flags).description(about);
    return command.addHelpText('after', `\nExamples:\n${examples.map((line) => `  ${line}`).join('\n')}`).action(async () => {
      const config = configured?.(command.opts()) ?? configOf(command.opts(), !isKeyless);
      this.#isDebugging = config.logging.level === 'debug' || config.logging.level === 'trace';
      await this.end(run({ config, output: this.output, say }, { ...command.opts(), arguments: command.args }));
    });
  }

  /** Takes a command's exit code for the process's. */
  async end(work: Promise<ExitCode>): Promise<void> {
    this.#code = await work;
  }

  async run(args: readonly string[]): Promise<number> {
    try {
      await this.#parse(args);
      await this.output.end();
      return this.#code;
    } catch (error) {
      if (error instanceof CommanderError) return 2;
      tell(error, this.#isDebugging);
      return 1;
    }
  }

  async #parse(args: readonly string[]): Promise<void> {
    try {
      await this.program.parseAsync([...args], { from: 'user' });
    } catch (error) {
      // Help and the version were asked for and given.
      if (!(error instanceof CommanderError && error.exitCode === 0)) throw error;
    }
  }
}
