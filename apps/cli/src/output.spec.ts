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
