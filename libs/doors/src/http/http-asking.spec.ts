import { EventEmitter } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HttpAsking } from './http-asking.js';

class Response extends EventEmitter {
  closed = false;
  writableFinished = false;

  close(): void {
    this.closed = true;
    this.emit('close');
  }
}

function asking(onHangup: 'abort' | 'continue', headers: Record<string, string> = {}) {
  const raw = new Response();
  const asked = { kind: 'turn', input: 'x' } as const;
  const of = new HttpAsking({ headers } as unknown as FastifyRequest, { raw } as unknown as FastifyReply, asked, { onHangup });
  return { of, raw };
}

it('D24 tells of a caller that is gone before its answer, also one that went before anybody asked', () => {
  const [watched, late] = [asking('abort'), asking('abort')];
  expect(watched.of.signal.aborted).toBe(false);
  expect(watched.of.signal).toBe(watched.of.signal);
  for (const { raw, of } of [watched, late]) {
    raw.close();
    expect(of.signal.aborted).toBe(true);
  }
});

it('D24 takes an answer that was written whole for no hang-up, and no hang-up for one where the setting says so', () => {
  const answered = asking('abort');
  const { signal } = answered.of;
  answered.raw.writableFinished = true;
  answered.raw.close();
  const continued = asking('continue');
  continued.raw.close();
  expect([signal.aborted, continued.of.signal.aborted]).toEqual([false, false]);
});

it('E8 watches no caller of whom nobody asks whether they are gone', () => {
  const { of, raw } = asking('abort', { authorization: 'Bearer t', 'idempotency-key': 'k' });
  expect([of.presented, of.idempotencyKey, raw.listenerCount('close')]).toEqual([{ bearer: 't' }, 'k', 0]);
});
