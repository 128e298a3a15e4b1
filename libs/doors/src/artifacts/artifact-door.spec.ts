import { createSecretKey } from 'node:crypto';
import type { Principal } from '@doorledger/access';
import { emptySession, type Citation } from '@doorledger/event-log';
import { References } from '@doorledger/privacy';
import { Composer, type Asking } from '../composer.js';
import { failure } from '../wire/terminal.js';
import type { ArtifactSession } from './artifact-ops.js';

const ann: Principal = { issuer: 'https://issuer.example', subject: 'ann', roles: [] };
const references = new References({ reference: createSecretKey(Buffer.alloc(32, 7)) });
const citations: Citation[] = [{ partition: 1, offset: 5, hash: 'h' }];

/** A door whose only session is Ann's; it remembers what reached the artifacts behind it. */
function doorFor(principal: Principal) {
  const reached: ArtifactSession[] = [];
  let held = 0;
  const state = { ...emptySession, owner: references.userRef(ann), lastRunId: 'r' };
  const composer = new Composer({
    references,
    identify: async () => ({ kind: 'proven', principal }),
    newSessions: 'named',
    view: { hold: async () => ({ state, citations, release: () => void held--, held: held++ }) as never },
    ops: {} as never,
    turns: {} as never,
    artifacts: {
      serve: async (_asked, session) => {
        reached.push(session);
        expect(held).toBe(1);
        return failure('ERR_ARTIFACT_OPS_BUSY', 'Too many.');
      },
    },
  });
  const asked: Asking['asked'] = { kind: 'artifact-op', op: 'artifact-get', ref: 'r', sessionId: 's' };
  const serve = () =>
    composer.serve({ asked, presented: {}, signal: new AbortController().signal }, { door: 'artifact', bearerPresent: true });
  return { serve, reached, held: () => held };
}

it('O2 and H2 count an artifact op of a session only when its owner asks', async () => {
  const [owner, stranger] = [doorFor(ann), doorFor({ ...ann, subject: 'bob' })];
  await expect(stranger.serve()).rejects.toMatchObject({ terminal: { code: 'ERR_SESSION_NOT_FOUND' } });
  expect(stranger.reached).toEqual([]);
  expect(await owner.serve()).toMatchObject({ code: 'ERR_ARTIFACT_OPS_BUSY' });
  expect(owner.reached).toEqual([{ ref: references.sessionRef(undefined, 's'), citations }]);
  expect([owner.held(), stranger.held()]).toEqual([0, 0]);
});
