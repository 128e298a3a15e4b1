import { startIssuer, type Issuer } from '../../test/faults/flood-issuer.js';
import { serve } from '../../test/faults/served-process.js';
import { compared, percentile, type Bench, type BenchRow } from '../row.js';
import { inScratch } from '../scratch.js';
import { ConsentDesk } from './consent-desk.js';

const TURNS = 200;
const CROWDS = 10;
const APPROVERS = 64;
const TOKEN_S = 3600;

interface Answer {
  readonly status: number;
  readonly body: { readonly awaiting?: { readonly requestId: string }; readonly code?: string };
  readonly ms: number;
}

async function post(url: string, token: string, body: object): Promise<Answer> {
  const from = performance.now();
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, body: (await response.json()) as Answer['body'], ms: performance.now() - from };
}

function expectStatus({ status, body }: Answer, expected: number): void {
  if (status !== expected) throw new Error(`Answered ${status} ${body.code ?? ''} in place of ${expected}.`);
}

/** Ms of each of the turns, by turns: a plain call of a tool, a gated call up to its 202, and its decision. */
interface Times {
  readonly plain: { readonly answered: number[]; readonly called: number[] };
  readonly minted: number[];
  readonly decided: { readonly answered: number[]; readonly called: number[] };
}

async function turnByTurn(url: string, token: string, desk: ConsentDesk, turns: number): Promise<Times> {
  const times: Times = { plain: { answered: [], called: [] }, minted: [], decided: { answered: [], called: [] } };
  const invoke = (body: object) => post(`${url}/invoke`, token, { sessionId: 'turns', ...body });
  for (let turn = 0; turn < turns; turn++) {
    const [plain, gated] = [`plain-${turn}`, `gated-${turn}`];
    let from = performance.now();
    const ran = await invoke({ input: `/call free.pay {"note":"${plain}"}` });
    expectStatus(ran, 200);
    times.plain.answered.push(ran.ms);
    times.plain.called.push(desk.arrivalOf(plain) - from);
    const asked = await invoke({ input: `/call gate.pay {"note":"${gated}"}` });
    expectStatus(asked, 202);
    times.minted.push(asked.ms);
    from = performance.now();
    const decided = await invoke({ decision: { requestId: asked.body.awaiting!.requestId, approved: true } });
    expectStatus(decided, 200);
    times.decided.answered.push(decided.ms);
    times.decided.called.push(desk.arrivalOf(gated) - from);
  }
  return times;
}

/** So many approvers decide on one request at once: the winner's answer and the losers', in ms. */
async function crowds(url: string, issuer: Issuer, asker: string, desk: ConsentDesk): Promise<{ won: number[]; lost: number[] }> {
  const tokens = await Promise.all(Array.from({ length: APPROVERS }, (_, i) => issuer.token(`approver-${i}`, TOKEN_S, ['approver'])));
  const times = { won: [] as number[], lost: [] as number[] };
  for (let crowd = 0; crowd < CROWDS; crowd++) {
    const before = desk.calls;
    const sessionId = `crowd-${crowd}`;
    const { body } = await post(`${url}/invoke`, asker, { sessionId, input: '/call role.pay {}' });
    const path = `${url}/v1/consents/${body.awaiting!.requestId}/decision`;
    const answers = await Promise.all(tokens.map((token) => post(path, token, { approved: true })));
    const won = answers.filter(({ status }) => status === 200);
    const lost = answers.filter(({ status }) => status === 409);
    if (won.length !== 1 || lost.length !== APPROVERS - 1) throw new Error(`${won.length} won and ${lost.length} lost.`);
    while ((await post(`${url}/invoke`, asker, { sessionId, input: 'and?' })).status === 409);
    if (desk.calls !== before + 1) throw new Error(`One approval ran ${desk.calls - before} calls.`);
    if (crowd === 0) continue; // connections are opened in it
    times.won.push(...won.map(({ ms }) => ms));
    times.lost.push(...lost.map(({ ms }) => ms));
  }
  return times;
}

function rowsOf(name: string, values: readonly number[], baseline: string, others: readonly number[]): BenchRow[] {
  return [0.5, 0.99].map((p) => {
    const at = `p${p * 100}`;
    return compared(`${name}, ${at}`, percentile(values, p), 'ms', { name: `${baseline}, ${at}`, value: percentile(others, p) });
  });
}

/** What asking a person costs on the embedded log, beside a tool call that nobody is asked about. */
export const consent: Bench = {
  name: 'consent',
  about: 'a gated call until its 202, a decision until the tool is called, and 64 approvers of one request',
  run: (say) =>
    inScratch(async (dir) => {
      const [desk, issuer] = [await ConsentDesk.start(), await startIssuer()];
      const server = (name: string, gate?: object) => ({
        name,
        url: desk.url,
        scope: 'session',
        ...(gate && { tools: { pay: { gate: { kind: 'checkIn', ...gate } } } }),
      });
      const served = await serve(dir, {
        ...issuer.settings,
        DOORLEDGER_OIDC_ROLES_CLAIM: 'roles',
        DOORLEDGER_TOOLS_SERVERS: JSON.stringify([server('free'), server('gate', {}), server('role', { deciders: 'role' })]),
      });
      try {
        const asker = await issuer.token('asker', TOKEN_S);
        await turnByTurn(served.url, asker, desk, 20);
        const { plain, minted, decided } = await turnByTurn(served.url, asker, desk, TURNS);
        say(`${TURNS} turns of each kind`);
        const { won, lost } = await crowds(served.url, issuer, asker, desk);
        say(`${CROWDS - 1} requests with ${APPROVERS} approvers each, one call each`);
        return [
          ...rowsOf('gated call, to its 202', minted, 'plain tool call, to its 200', plain.answered),
          ...rowsOf('decision, to the tool', decided.called, 'plain tool call, to the tool', plain.called),
          ...rowsOf('decision, to its 200', decided.answered, 'plain tool call, to its 200', plain.answered),
          ...rowsOf(`${APPROVERS} approvers: losers’ answer`, lost, 'winner’s answer', won),
        ];
      } finally {
        await served.stop();
        await Promise.all([desk.stop(), issuer.close()]);
      }
    }),
};
