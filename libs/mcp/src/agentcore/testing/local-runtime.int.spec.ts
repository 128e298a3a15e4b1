import { LocalAgentCoreRuntime } from './local-runtime.js';

let now = 0;
let runtime: LocalAgentCoreRuntime;
beforeEach(async () => {
  now = 0;
  runtime = await LocalAgentCoreRuntime.start({ keepsSessions: false, idleMs: 100, now: () => now });
});
afterEach(() => runtime.close());

async function post(session: string | undefined, url = runtime.url, method = 'ping'): Promise<number> {
  const headers: Record<string, string> = session === undefined ? {} : { 'X-Amzn-Bedrock-AgentCore-Runtime-Session-Id': session };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method }) });
  await response.text();
  return response.status;
}

describe('the runtime that tests run against', () => {
  it('M24 and M25 takes session ids of 33 to 256 characters, refuses shorter and longer ones, and makes one up where none is given', async () => {
    const statuses = await Promise.all([33, 256, 32, 257].map((length) => post('s'.repeat(length))));
    expect(statuses).toEqual([200, 200, 400, 400]);
    expect(await post(undefined)).toBe(200);
    expect(runtime.running).toHaveLength(3);
  });

  it('M24 starts a microVM anew after it was idle or stopped, and knows a session it never had from one it stops', async () => {
    const session = 's'.repeat(40);
    const stopUrl = runtime.url.replace('/invocations', '/stopruntimesession');
    expect(await post(session, stopUrl)).toBe(404);
    await post(session);
    now = 99;
    await post(session);
    expect(runtime.coldStarts).toBe(1);
    now = 199;
    await post(session);
    expect(runtime.coldStarts).toBe(2);
    expect([await post(session, stopUrl), await post(session, stopUrl), await post(undefined, stopUrl)]).toEqual([200, 404, 400]);
    await post(session);
    expect(runtime.coldStarts).toBe(3);
  });
});
