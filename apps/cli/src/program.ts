import { CommandLine } from './command-line.js';
import { addConfigCommands } from './config-commands.js';
import { addLogCommands } from './log-commands.js';
import type { Output } from './output.js';
import { addServingCommands } from './serving-commands.js';

/** Runs the command line `args` and gives the exit code. */
export function runProgram(args: readonly string[], output: Output): Promise<number> {
  const cli = new CommandLine(output);
  addServingCommands(cli);
  addLogCommands(cli);
  addConfigCommands(cli);
  return cli.run(args);
}
