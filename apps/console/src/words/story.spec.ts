import type { TimelineItem } from '../data/types.js';
import { lineOf, spansOf } from './story.js';

const item = (type: string, ms: number, data: object = {}, verdict = 'stands'): TimelineItem => ({
  position: `doorledger.session.v1:0:${ms}`,
  type,
  at: new Date(ms).toISOString(),
  verdict,
  data,
});

it('P2 tells facts as sentences, actor first', () => {
  expect(lineOf(item('turn.claimed', 0, { hostId: 'host-b', resumes: 'x' })).sentence).toBe('host-b claimed the turn to resume it');
  expect(lineOf(item('tool-call.dispatched', 0, { server: 'orders', tool: 'get', attempt: 2 })).sentence).toBe(
    'orders.get was sent, attempt 2',
  );
  expect(lineOf(item('consent.spent', 0, { verdict: 'approved', by: 'a'.repeat(32) })).sentence).toBe(
    'User aaaaaaaa approved; the approval was spent',
  );
  expect(lineOf({ type: 'turn.claimed' }).sentence).toBe('A record that nobody can read');
  expect(lineOf(item('made.up', 0)).sentence).toBe('made.up');
});

it('P2 shares a session’s time among agent, tools and people; between turns and in void records it is nobody’s', () => {
  const spans = spansOf([
    item('turn.claimed', 0),
    item('turn.claimed', 5, {}, 'void'),
    item('tool-call.dispatched', 100),
    item('tool-call.finished', 150),
    item('turn.paused', 160),
    item('turn.claimed', 1160),
    item('turn.completed', 1200),
    item('turn.claimed', 9000),
    item('turn.completed', 9010),
  ]);
  expect(spans).toMatchObject({ agent: 100 + 10 + 40 + 10, tools: 50, person: 1000 });
});
