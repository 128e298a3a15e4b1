import { topics } from '@doorledger/contracts';
import { SampleLog, ref, sha, uuid } from './sample-log.js';
import { SampleSession, SampleToolSession, ingressOf, sayOfHost } from './sample-facts.js';

/** A log with a bit of everything: turns, pauses, spends, lapses, calls, files, tool sessions, copies, poison, retention. `sessions` of them. */
export function sampleStory(sessions = 12): SampleLog {
  const log = new SampleLog();
  for (let i = 0; i < sessions; i++) tell(log, `s${i}`, i);
  log.add('h', {
    type: 'host.alive',
    data: { hostId: 'host-1', bootId: uuid('boot-1'), version: '1', foldVersion: 1, lastSeq: sessions, durableSeq: sessions },
  });
  sayOfHost(log, 'host.stopped', 'host-1', 'boot-1');
  for (const partition of [0, 1, 2, 3])
    log.add('retention', { type: 'retention.applied', data: { topic: topics.private.name, partition, before: 2, by: ref('operator') } });
  log.addRaw(topics.ingress.name, 'poison', Buffer.from('{'), { ce_type: 'ingress.recorded' });
  return log;
}

function tell(log: SampleLog, name: string, i: number): void {
  const session = new SampleSession(log, name);
  const [turn, run] = [`${name} turn`, `${name} run`];
  log.now += 7;
  log.add(session.key, { type: 'session.named', data: { sessionRef: session.key, keyId: uuid('k'), sealed: 'aGVsbG8=' } });
  const tenant = i % 3 === 0 ? { tenantRef: ref('acme') } : {};
  const who = i % 3 === 0 ? { signer: ref('ann'), ...tenant } : {};
  session.claim(turn, run, who);
  session.dispatch(turn, run, `${name} call`);
  if (i % 2 === 1) session.artifact(turn, run, `${name} file`, 'a fi', 'le of', name);
  if (i % 3 !== 0) session.finish(turn, run, `${name} call`);
  const content = session.content(turn, run, `hello ${name}`);
  session.step(turn, run, 1, content);
  if (i % 4 === 0) log.epoch++;
  if (i % 2 === 0) {
    session.pause(turn, run, name, session.content(turn, run, 'state', 'pause.stored'));
    if (i % 4 === 0) {
      session.claim(turn, `${run} 2`, { ...who, resumes: sha(name) });
      session.spend(`${run} 2`, name, 'declined');
      session.complete(turn, `${run} 2`, session.content(turn, `${run} 2`, 'bye'));
    }
  } else if (i % 5 === 0) session.close();
  else if (i % 3 === 0) log.now += 40_000;
  else session.complete(turn, run, content);
  const opener = { keyHash: 'abcdef012345', sessionRef: session.key, turnId: uuid(turn), runId: uuid(run), callId: uuid(`${name} call`) };
  const toolSession = new SampleToolSession(log, name, opener).start();
  if (i % 2 === 0) toolSession.reuse(2);
  if (i % 3 === 0) toolSession.close(i % 2 === 0 ? 'run-end' : 'idle', i % 4 === 0 ? { errorClass: 'Gone' } : {});
  ingressOf(log, i + 1, name, tenant);
  if (i % 3 === 0) ingressOf(log, i + 1, name);
}
