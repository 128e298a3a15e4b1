import { ConsentWorld, type Answer } from './consent-world.js';

jest.setTimeout(120_000);
const roles = ['treasurer'];
let world: ConsentWorld;
beforeAll(async () => {
  world = await ConsentWorld.start({
    gates: {
      party: {},
      role: { deciders: 'role', roles },
      both: { deciders: 'both', roles, separation: true },
      two: { deciders: 'role', roles, separation: true, quorum: 2 },
    },
  });
});
afterAll(() => world.stop());

const treasurer = (name: string) => `${name} as treasurer`;
const told = ({ status, body }: Answer) => [status, body.code, ...(body.reason === undefined ? [] : [body.reason])];
it('N50 and N53 let only people with the role decide: each hears the verdict and never the output, which the asker gets', async () => {
  const { requestId, turnId } = await world.paused('ann', 'role', 'role', { note: 'role' });
  expect(told(await world.decide('ann', 'role', { requestId, approved: true }))).toEqual([403, 'ERR_ROLE_REQUIRED']);
  for (const seeing of ['ann', 'eve as auditor', 'art as approver'])
    expect([seeing, ...told(await world.vote(seeing, requestId, true))]).toEqual([seeing, 403, 'ERR_ROLE_REQUIRED']);
  expect(told(await world.vote('bob', requestId, true))).toEqual([404, 'ERR_NOT_FOUND']);
  expect(await world.pending('ann', 'role')).toMatchObject({ body: { pending: { requestId } } });
  const approved = await world.vote(treasurer('tina'), requestId, true);
  expect([approved.status, approved.body]).toEqual([200, { requestId, verdict: 'approved', turnId }]);
  expect(await world.ended('ann', turnId)).toMatchObject({ status: 'completed', output: 'paid role' });
  expect(await world.get(treasurer('tina'), `/v1/turns/${turnId}`)).toMatchObject({ status: 404 });
  expect((await world.vote(treasurer('tina'), requestId, true)).body).toEqual(approved.body);
  expect(told(await world.vote(treasurer('tom'), requestId, true))).toEqual([409, 'ERR_RESUME_REFUSED', 'already-answered']);
  // Settled or not, what somebody may not see is answered like what is not there, whatever they ask of it.
  const nothing = 'f'.repeat(64);
  for (const rest of ['decision', 'close', 'call', 'previous']) {
    const asked = (id: string) => {
      const path = `/v1/consents/${id}/${rest}`;
      return rest === 'call' || rest === 'previous'
        ? world.get('bob', path)
        : world.post('bob', path, rest === 'close' ? {} : { approved: true });
    };
    const [hidden, none] = [await asked(requestId), await asked(nothing)];
    expect([rest, hidden.status, hidden.body]).toEqual([rest, 404, none.body]);
  }
  expect(world.desk.times('role')).toBe(1);
});

it('N50 keeps the asker from approving its own call where duties are separated; it may decline it', async () => {
  const { requestId } = await world.paused(treasurer('tina'), 'own', 'both', { note: 'own' });
  expect(told(await world.decide(treasurer('tina'), 'own', { requestId, approved: true }))).toEqual([403, 'ERR_ROLE_REQUIRED']);
  expect(told(await world.vote(treasurer('tina'), requestId, true))).toEqual([403, 'ERR_ROLE_REQUIRED']);
  expect(await world.decide(treasurer('tina'), 'own', { requestId, approved: false })).toMatchObject({
    status: 200,
    body: { output: 'A person declined this call, so it did not run.' },
  });
  expect(world.desk.times('own')).toBe(0);
});

it('N50 and N53 take votes until two different people have approved; then the call runs once', async () => {
  const { requestId, turnId, votes } = await world.paused('ann', 'two', 'two', { note: 'two' });
  expect(votes).toEqual({ have: 0, need: 2 });
  for (let i = 0; i < 2; i++) {
    const voted = await world.vote(treasurer('tina'), requestId, true);
    expect([voted.status, voted.body]).toEqual([202, { requestId, votes: { have: 1, need: 2 } }]);
  }
  expect(await world.pending('ann', 'two')).toMatchObject({ body: { pending: { votes: { have: 1, need: 2 } } } });
  expect(world.desk.times('two')).toBe(0);
  expect(await world.vote(treasurer('tom'), requestId, true)).toMatchObject({ status: 200, body: { verdict: 'approved', turnId } });
  expect(await world.ended('ann', turnId)).toMatchObject({ output: 'paid two' });
  expect(world.desk.times('two')).toBe(1);
  const { attempts } = await world.settled(requestId, 'approved');
  expect(attempts).toEqual(['voted approved', 'voted approved void: voted', 'voted approved', 'spent approved']);
});

it('N50 declines by one who disapproves, whatever others said before', async () => {
  const { requestId, turnId } = await world.paused('ann', 'veto', 'two', { note: 'veto' });
  expect((await world.vote(treasurer('tina'), requestId, true)).status).toBe(202);
  expect(await world.vote(treasurer('tom'), requestId, false)).toMatchObject({ status: 200, body: { verdict: 'declined', turnId } });
  expect(await world.ended('ann', turnId)).toMatchObject({ output: 'A person declined this call, so it did not run.' });
  expect(world.desk.times('veto')).toBe(0);
});

it('N50 and N20 run a call once where the votes that complete a quorum come at once', async () => {
  for (let round = 0; round < 4; round++) {
    const note = `at-once-${round}`;
    const { requestId, turnId } = await world.paused('ann', note, 'two', { note });
    const answers = await Promise.all(['tina', 'tom', 'tess'].map((name) => world.vote(treasurer(name), requestId, true)));
    expect(await world.ended('ann', turnId)).toMatchObject({ output: `paid ${note}` });
    expect(answers.filter(({ status, body }) => status === 200 && body.verdict === 'approved')).not.toEqual([]);
    expect(answers.filter(({ status }) => ![200, 202, 409].includes(status))).toEqual([]);
    expect(world.desk.times(note)).toBe(1);
  }
});

it('N12, N13 and N20 let one of 32 approvers and decliners win, and tell each other what stands', async () => {
  const { requestId, turnId } = await world.paused('ann', 'crowd', 'role', { note: 'crowd' });
  const crowd = Array.from({ length: 32 }, (_, i) => ({ person: treasurer(`t${i}`), approved: i % 2 === 0 }));
  const answers = await Promise.all(crowd.map(({ person, approved }) => world.vote(person, requestId, approved)));
  const won = answers.filter(({ status }) => status === 200);
  const lost = answers.filter(({ status }) => status !== 200).map(told);
  const { consent, attempts } = await world.rows(requestId, (rows) => typeof rows.consent?.settled_by === 'string');
  expect([won.length, won[0]?.body]).toEqual([1, { requestId, verdict: consent!.status, turnId }]);
  expect(new Set(lost.map(String))).toEqual(new Set(['409,ERR_RESUME_REFUSED,already-answered']));
  expect(attempts.filter((attempt) => !attempt.includes('void'))).toEqual([`spent ${consent!.status}`]);
  await world.ended('ann', turnId);
  expect(world.desk.times('crowd')).toBe(consent!.status === 'approved' ? 1 : 0);
});

it('N10 and N31 take an approver’s own errors and a decider’s close like everybody’s', async () => {
  const { requestId } = await world.paused('ann', 'errors', 'role', { note: 'errors' });
  const path = `/v1/consents/${requestId}/decision`;
  expect(told(await world.post(treasurer('tina'), path, {}))).toEqual([400, 'ERR_DECISION_REQUIRED']);
  expect(told(await world.post(treasurer('tina'), path, { approved: 'yes' }))).toEqual([400, 'ERR_DECISION_REQUIRED']);
  expect(told(await world.post('bob', `/v1/consents/${requestId}/close`, {}))).toEqual([404, 'ERR_NOT_FOUND']);
  expect(await world.pending('ann', 'errors')).toMatchObject({ body: { pending: { requestId } } });
  expect(await world.post(treasurer('tina'), `/v1/consents/${requestId}/close`, {})).toMatchObject({
    status: 200,
    body: { verdict: 'closed' },
  });
  expect(told(await world.vote(treasurer('tom'), requestId, true))).toEqual([409, 'ERR_RESUME_REFUSED', 'closed-by-host']);
  expect(world.desk.times('errors')).toBe(0);
});

it('N53 leaves no word of trouble in the log lines of all this', () => expect(world.served.words()).not.toContain('"level"'));
