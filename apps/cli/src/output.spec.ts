import { closeSync, openSync } from 'node:fs';
import { Writable } from 'node:stream';
import { Output } from './output.js';

it('X4 ends quietly when the pipe is closed', async () => {
  const broken = new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error('closed'), { code: 'EPIPE' })) });
  const output = new Output(broken);
  const closed = new Promise((resolve) => broken.once('close', resolve));
  await output.line('lost');
  await closed;
  expect(output.gone.aborted).toBe(true);
  await output.line('not even tried');
});

it('X4 writes no faster than its reader takes', async () => {
  let take: (() => void) | undefined;
  const slow = new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => (take = () => done()) });
  const output = new Output(slow);
  let isWritten = false;
  const writing = output.line('one').then(() => (isWritten = true));
  await new Promise(setImmediate);
  expect(isWritten).toBe(false);
  take!();
  await writing;
});

it('stops waiting for a reader that goes away', async () => {
  let fail: ((error: Error) => void) | undefined;
  const stuck = new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => (fail = done) });
  const output = new Output(stuck);
  const writing = output.json({ a: 1 });
  fail!(Object.assign(new Error('closed'), { code: 'EPIPE' }));
  await writing;
  expect(output.gone.aborted).toBe(true);
});

it('X4 says that the output could not be written, and not whose disk it was', async () => {
  const full = new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error('no space'), { code: 'ENOSPC' })) });
  const output = new Output(full);
  await output.line('lost');
  await expect(output.end()).rejects.toMatchObject({ code: 'ERR_OUTPUT_UNWRITABLE', message: expect.stringContaining('ENOSPC') as string });
  expect(output.gone.aborted).toBe(true);
});

it('X4 ends when all is written, or when nobody reads', async () => {
  await new Output(new Writable({ write: (_chunk, _encoding, done) => done() })).end();
  const broken = new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error('closed'), { code: 'EPIPE' })) });
  const output = new Output(broken);
  await output.line('lost');
  await output.end();
});

const onLinux = process.platform === 'linux' ? it : it.skip;
onLinux('X4 refuses to write what it is run for to an output that was closed, and lets it be thrown away on purpose', () => {
  const at = (fd: number) => new Output(Object.assign(new Writable(), { fd }));
  const [asNodeOpensIt, thrownAway] = [openSync('/dev/null', 'r+'), openSync('/dev/null', 'w')];
  expect(() => at(asNodeOpensIt).refuseClosed()).toThrow(expect.objectContaining({ code: 'ERR_OUTPUT_UNWRITABLE' }));
  at(thrownAway).refuseClosed();
  new Output(new Writable()).refuseClosed();
  for (const fd of [asNodeOpensIt, thrownAway]) closeSync(fd);
});
