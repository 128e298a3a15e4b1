import type { ClusterLoad } from '../cluster-load.js';
import type { Violation } from '../history.js';
import { post, type Answer, type Headers } from '../post.js';

interface Transcript {
  readonly transcript?: { readonly messages: readonly { readonly role: string; readonly text: string }[] };
}

const LIMIT_MS = 60_000;
const TRIES = 10;

/** A conversation names no turn: what it answered in a session is in the transcript of that session, asked and answered. */
export async function judgeConversed(url: string, load: Pick<ClusterLoad, 'conversed' | 'callerOf'>): Promise<Violation[]> {
  const violations: Violation[] = [];
  for (const sessionId of new Set(load.conversed.map((one) => one.sessionId))) {
    const { status, body, text } = await transcriptOf(url, sessionId, load.callerOf(sessionId));
    const messages = (body as Transcript | undefined)?.transcript?.messages;
    if (!messages) violations.push({ rule: 'O6', what: `the transcript of ${sessionId} was answered ${status}: ${text.slice(0, 200)}` });
    const told = new Set(messages?.map((message) => `${message.role} ${message.text}`));
    for (const { input } of messages ? load.conversed.filter((one) => one.sessionId === sessionId) : [])
      if (!told.has(`user ${input}`) || !told.has(`assistant ${input}`))
        violations.push({
          rule: 'K3',
          what: `a conversation answered the turn ${input.slice(0, 8)} of ${sessionId}, and no transcript tells it`,
        });
  }
  return violations;
}

/** A busy host may say a few times that it does not know yet. */
async function transcriptOf(url: string, sessionId: string, headers: Headers): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const answer = await post(`${url}/invoke`, { op: 'session-transcript', sessionId }, LIMIT_MS, headers);
    if (answer.status !== 503 || tries === TRIES) return answer;
  }
}
