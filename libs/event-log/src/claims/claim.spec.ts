import { History } from './testing/history.js';

let h: History;
beforeEach(() => (h = new History()));

describe('turn.claimed', () => {
  it('L7 stands on an empty session with `after` null, and names the owner', () => {
    expect(h.claim('r1', { signer: 'alice' })).toBe('stands');
    expect(h.effects).toEqual([
      { kind: 'owner-set', signer: 'alice' },
      { kind: 'run-stood', runId: 'r1', turnId: 't-r1', turn: 'running', hostId: 'host', bootId: 'boot', fromQueue: false },
    ]);
    expect(h.state).toMatchObject({ owner: 'alice', lastRunId: 'r1' });
  });

  it('L7 is void as stale when another run came to stand since its host looked', () => {
    h.claim('r1');
    h.complete('r1');
    expect(h.claim('r2', { after: null })).toBe('after');
    expect(h.claim('r2', { after: 'r1' })).toBe('stands');
  });

  it('L7 leaves a late copy of a claim void once its run has ended', () => {
    h.claim('r1');
    h.complete('r1');
    expect(h.claim('r1', { after: null })).toBe('after');
    expect(h.state.run).toBeUndefined();
  });

  it('L5 lets one run stand at a time', () => {
    h.claim('r1');
    expect(h.claim('r2')).toBe('busy');
    expect(h.state.run?.runId).toBe('r1');
    h.complete('r1');
    expect(h.claim('r3')).toBe('stands');
  });

  it.each([
    ['somebody', 'alice', 'bob'],
    ['nobody after somebody', 'alice', undefined],
    ['somebody after nobody', undefined, 'bob'],
  ])('L7 keeps a session for its owner: %s', (_, first, second) => {
    h.claim('r1', { signer: first });
    h.complete('r1');
    expect(h.claim('r2', { signer: second })).toBe('signer');
    expect(h.claim('r3', { signer: first })).toBe('stands');
  });

  it('L7 does not take a void claim for the first owner', () => {
    expect(h.claim('r1', { signer: 'bob', after: 'r0' })).toBe('after');
    expect(h.claim('r2', { signer: 'alice' })).toBe('stands');
    expect(h.state.owner).toBe('alice');
  });

  it('L7 is void as a copy while its run stands or waits', () => {
    h.claim('r1');
    expect(h.claim('r1', { after: null })).toBe('duplicate');
    h.claim('r2', { wait: true });
    expect(h.claim('r2', { wait: true })).toBe('duplicate');
    expect(h.state.waiting).toHaveLength(1);
  });

  it('N20 stands while the session waits for a person only if it resumes that request in that turn', () => {
    h.claim('r1');
    h.pause('r1', 'q1');
    expect(h.claim('r2')).toBe('paused');
    expect(h.claim('r2', { resumes: 'q2', turnId: 't-r1' })).toBe('paused');
    expect(h.claim('r2', { resumes: 'q1', turnId: 't-r2' })).toBe('paused');
    expect(h.claim('r2', { resumes: 'q1', turnId: 't-r1' })).toBe('stands');
    expect(h.effects).toContainEqual(expect.objectContaining({ kind: 'run-stood', resumes: 'q1', turnId: 't-r1' }));
    expect(h.claim('r3', { resumes: 'q1', turnId: 't-r1' })).toBe('busy');
  });

  it('N20 has nothing to resume on a session that waits for nobody', () => {
    expect(h.claim('r1', { resumes: 'q1' })).toBe('not-paused');
    expect(h.state.lastRunId).toBeNull();
  });

  it('L5 answers the first of several reasons: closed, signer, key, paused, busy, after', () => {
    const idempotency = { key: 'k', body: 'b' };
    h.claim('r1', { signer: 'alice', idempotency });
    const wrong = { signer: 'bob', idempotency, resumes: 'q9', after: 'r9' };
    expect(h.claim('r2', wrong)).toBe('signer');
    expect(h.claim('r2', { ...wrong, signer: 'alice' })).toBe('key');
    expect(h.claim('r2', { ...wrong, signer: 'alice', idempotency: undefined })).toBe('not-paused');
    expect(h.claim('r2', { signer: 'alice', after: 'r9' })).toBe('busy');
    h.complete('r1');
    expect(h.claim('r2', { signer: 'alice', after: 'r9' })).toBe('after');
    h.close();
    expect(h.claim('r2', wrong)).toBe('closed');
  });

  it('L1 takes over from a run past its lease, and not a moment earlier', () => {
    h.claim('r1');
    expect(h.pass(30_000).claim('r2')).toBe('busy');
    expect(h.pass(1).claim('r3')).toBe('stands');
    expect(h.effects.slice(0, 1)).toEqual([{ kind: 'run-ended', runId: 'r1', turnId: 't-r1', how: 'lapsed', turn: 'abandoned' }]);
    expect(h.state.run?.runId).toBe('r3');
  });
});
