import { sharedSessions, type SeenRequest } from './seen-request.js';

const call = (runtimeSessionId: string | undefined, who?: string): SeenRequest => ({
  operation: 'invoke',
  runtimeSessionId,
  mcpSessionId: undefined,
  authorization: undefined,
  who,
  status: 200,
});

describe('the check that no runtime session serves two keys', () => {
  it('M24 finds the one session that did', () => {
    const seen = [call('one', 'ada'), call('two', 'ada'), call('two', 'bob'), call('one', 'ada')];
    expect([...sharedSessions(seen)]).toEqual([['two', new Set(['ada', 'bob'])]]);
  });

  it('M24 is content with one key a session, and with requests that are for nobody', () => {
    expect(sharedSessions([call('one', 'ada'), call('one'), call('two', 'bob'), call(undefined, 'ada'), call(undefined, 'bob')]).size).toBe(
      0,
    );
  });
});
