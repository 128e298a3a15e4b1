import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import { cli, ended } from '../../faults/served-process.js';
import { freePort } from '../../faults/free-port.js';
import { Browser } from './browser.js';
import { SignInWorld } from './sign-in-world.js';

jest.setTimeout(120_000);

/** What docs/api.md lists under projectors, and signing in; everything else is the hosts'. */
const OF_PROJECTORS = /^\/(auth|v1\/(me|sessions(\/[^/]+\/timeline)?|consents(\/[^/]+)?|ingress|log)(\?|$))/;

let world: SignInWorld;
let proxy: Server;
let processes: ReturnType<typeof cli>[];
beforeAll(async () => {
  world = await SignInWorld.start({
    ann: { org: 'acme' },
    tina: { org: 'acme', roles: ['treasurer', 'approver'] },
    vera: { org: 'globex', roles: ['auditor'] },
    nomad: { roles: ['auditor'] },
  });
  const [host, projector] = [await freePort(), await freePort()];
  proxy = createServer((asked, answer) => {
    const isProjectors = asked.method === 'GET' || asked.url!.startsWith('/auth') ? OF_PROJECTORS.test(asked.url!) : false;
    const { method, url: path, headers } = asked;
    const onward = request({ port: isProjectors ? projector : host, host: '127.0.0.1', method, path, headers }, (got) => {
      answer.writeHead(got.statusCode!, got.headers);
      got.pipe(answer);
    });
    onward.on('error', () => answer.writeHead(502).end());
    asked.pipe(onward);
  }).listen(Number(world.port), '127.0.0.1');
  await once(proxy, 'listening');
  const common = { DOORLEDGER_OIDC_TENANT_CLAIM: 'org', DOORLEDGER_PORT: String(host), DOORLEDGER_PROJECTOR_PORT: String(projector) };
  // A host needs no secret: it signs nobody in.
  const { DOORLEDGER_SIGN_IN_CLIENT_SECRET: _, ...ofHost } = world.env;
  processes = [cli(['host'], { ...ofHost, ...common }), cli(['projector'], { ...world.env, ...common })];
  for (const { stdout, stderr } of processes) for (const stream of [stdout, stderr]) stream.resume();
  for (const port of [host, projector])
    while ((await fetch(`http://127.0.0.1:${port}/ready`).catch(() => undefined))?.status !== 200) await new Promise(setImmediate);
});
afterAll(async () => {
  await Promise.all(processes.map((child) => ended(child, 'SIGTERM')));
  proxy.closeAllConnections();
  await once(proxy.close(), 'close');
  await world.stop();
});

it('P1 takes the cookie that a projector gave at a host too, which judges it by itself', async () => {
  const { browser } = await world.signedIn('tina');
  const { requestId } = await world.paused('ann', 'apart');
  for (let found = false; !found;) {
    const { body } = await browser.page(world.origin, '/v1/consents?state=pending');
    found = (body.items as { requestId: string }[]).some((item) => item.requestId === requestId);
  }
  const decision = await browser.page(world.origin, `/v1/consents/${requestId}/decision`, { approved: true });
  expect([decision.status, decision.body.verdict]).toEqual([200, 'approved']);
  const stranger = await new Browser().page(world.origin, `/v1/consents/${requestId}/decision`, { approved: true });
  expect([stranger.status, stranger.body.code]).toEqual([401, 'ERR_IDENTITY_NOT_VERIFIED']);
});

it('P1 and I9 keep a person who signs in within their tenant, and sign nobody in who has none', async () => {
  const { browser } = await world.signedIn('vera');
  expect((await browser.page(world.origin, '/v1/me')).body).toMatchObject({ signedIn: true, tenant: 'globex', roles: ['auditor'] });
  expect((await browser.page(world.origin, '/v1/sessions')).body).toEqual({ items: [] });
  const log = await browser.page(world.origin, '/v1/log');
  expect([log.status, log.body.code]).toEqual([403, 'ERR_ALL_TENANTS_REQUIRED']);
  const { back, browser: nomads } = await world.signedIn('nomad');
  expect([back.status, back.text.includes('Code: ERR_SIGN_IN_NAMELESS'), nomads.jar.has('doorledger')]).toEqual([403, true, false]);
});
