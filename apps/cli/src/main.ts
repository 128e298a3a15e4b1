#!/usr/bin/env node
import { Output } from './output.js';
import { runProgram } from './program.js';
import { tell } from './refusal.js';

// The last net: Node's own would print the text of an error that is not ours, and its stack.
process.on('uncaughtException', (error) => {
  tell(error);
  process.exit(1);
});

process.exitCode = await runProgram(process.argv.slice(2), new Output(process.stdout));
