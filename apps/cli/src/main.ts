#!/usr/bin/env node
import { Output } from './output.js';
import { runProgram } from './program.js';
import { tell } from './refusal.js';

// The last net: Node's own would print the text of an error that is not ours, and its stack.
process.on('uncaughtException', (error) => {
  tell(error);
  process.exit(1);
});

// A service outlives the reader of its log lines, and a command does its work unwatched.
process.stderr.on('error', () => undefined);

process.exitCode = await runProgram(process.argv.slice(2), new Output(process.stdout));
// What a close that failed left open must not keep a process that has ended its work.
setTimeout(() => process.exit(), 1000).unref();
