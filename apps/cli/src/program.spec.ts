import { Writable } from 'node:stream';
import { Output } from './output.js';
import { runProgram } from './program.js';

async function run(...args: string[]): Promise<{ code: number; text: string }> {
  let text = '';
  const code = await runProgram(args, new Output(new Writable({ write: (chunk, _encoding, done) => ((text += String(chunk)), done()) })));
  return { code, text };
}

it.each(['up', 'host', 'projector', 'topics', 'tail', 'replay', 'verify', 'backup', 'adopt', 'demo'])(
  'teaches %s by an example in its help',
  async (command) => {
    const { code, text } = await run(command, '--help');
    expect(code).toBe(0);
    expect(text).toContain(`Examples:\n  doorledger ${command}`);
    expect(text).toContain('--data <value>');
    expect(text).not.toContain('--turn-steps');
  },
);

it('names every setting that may be a flag in the help of config, and no secret', async () => {
  const { text } = await run('config', 'check', '--help');
  for (const flag of ['--port', '--door-session-header', '--turn-wall-time-ms', '--logging-format'])
    expect(text).toContain(`${flag} <value>`);
  expect(text).not.toMatch(/--(key|database-url)/);
});

it('prints the reference page whole', async () => {
  const { code, text } = await run('config', 'reference');
  expect(code).toBe(0);
  expect(text).toMatch(/^# Configuration\n[^]*## logging\.format\n[^]*\n$/);
});

it('X4 ends with 1 where what was asked for could not be written, and blames the output', async () => {
  const full = new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error('no space'), { code: 'ENOSPC' })) });
  const told = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    expect(await runProgram(['config', 'reference'], new Output(full))).toBe(1);
    expect(told.mock.calls.join('')).toMatch(/^doorledger: Not all of the output could be written .*\(ERR_OUTPUT_UNWRITABLE\)\n$/);
  } finally {
    told.mockRestore();
  }
});
