import type { IncomingHttpHeaders } from 'node:http';
import { bootWarnings } from './boot-warnings.js';
import { makeGuard, type Guarded, type GuardOptions } from './guard.js';

const DOOR = 'door.example';
const json = { 'content-type': 'application/json' };

function guard(options: Partial<GuardOptions> = {}) {
  const judge = makeGuard({ bindHost: '0.0.0.0', contentType: true, trustedProxies: [], ...options });
  return (headers: IncomingHttpHeaders, more: Partial<Guarded> = {}): number => {
    const sent = { host: DOOR, ...json, ...headers };
    const rawHeaders = Object.entries(sent).flatMap(([name, value]) => (value === undefined ? [] : [name, String(value)]));
    const request = { method: 'POST', isUpgrade: false, isProbe: false, from: '192.0.2.1', rawHeaders, headers: sent, ...more };
    const refused = judge(request);
    return refused?.status ?? 200;
  };
}

const upgrade = { method: 'GET', isUpgrade: true };

describe('the order of the guard', () => {
  const listed = guard({ hosts: [DOOR], origins: [`https://${DOOR}`] });
  const bad = { host: 'evil.example', origin: 'https://evil.example', 'content-type': 'text/plain' };

  it('G1 judges the Host before the origin, and the origin before the content type', () => {
    expect(listed(bad)).toBe(421);
    expect(listed({ ...bad, host: DOOR })).toBe(403);
    expect(listed({ ...bad, host: DOOR, origin: undefined })).toBe(415);
    expect(listed({})).toBe(200);
  });

  it('G1 judges every method but GET, HEAD and OPTIONS, and every upgrade', () => {
    const open = guard();
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'QUERY']) {
      expect(open({ ...bad, host: DOOR }, { method })).toBe(403);
      expect(open({ 'content-type': undefined }, { method })).toBe(415);
    }
    for (const method of ['GET', 'HEAD', 'OPTIONS']) expect(open({ ...bad, host: DOOR }, { method })).toBe(200);
    expect(open({ ...bad, host: DOOR }, upgrade)).toBe(403);
  });

  it('G1 judges the Host of a GET when a list is in force, except for health and readiness', () => {
    const byDefault = guard({ bindHost: '127.0.0.1' });
    for (const judge of [listed, byDefault]) {
      expect(judge(bad, { method: 'GET' })).toBe(421);
      expect(judge(bad, { method: 'GET', isProbe: true })).toBe(200);
      expect(judge(bad, { method: 'POST', isProbe: true })).toBe(421);
      expect(judge(bad, { ...upgrade, isProbe: true })).toBe(421);
    }
  });
});

describe('content types', () => {
  it.each([
    ['application/json'],
    ['application/json; charset=utf-8'],
    ['APPLICATION/JSON'],
    [' application/json ;charset=utf-8'],
    ['application/json;'],
  ])('G2 takes %j', (type) => {
    expect(guard()({ 'content-type': type })).toBe(200);
  });

  it.each([
    [undefined],
    [''],
    ['text/plain'],
    ['application/problem+json'],
    ['application/json+x'],
    ['application/jsonp'],
    ['text/plain; application/json'],
    ['application/json, text/plain'],
    ['application/json; a=b, text/plain'],
    ['application/json,'],
    ['multipart/form-data; boundary=application/json'],
  ])('G2 answers 415 to %j', (type) => {
    expect(guard()({ 'content-type': type })).toBe(415);
  });

  it('G2 answers 415 to a content type that stands twice, of which Node shows the first', () => {
    expect(guard()({}, { rawHeaders: ['Content-Type', 'application/json', 'content-type', 'text/plain'] })).toBe(415);
  });

  it('G2 judges no content type of an upgrade, and none where it is switched off', () => {
    expect(guard()({ 'content-type': undefined }, upgrade)).toBe(200);
    expect(guard({ contentType: false })({ 'content-type': 'text/plain' })).toBe(200);
  });
});

describe('the default origin rule', () => {
  const judge = guard();

  it.each([
    ['https://door.example', 'door.example'],
    ['http://door.example', 'door.example'],
    ['https://door.example', 'door.example:443'],
    ['http://door.example:80', 'door.example'],
    ['https://door.example:8443', 'door.example:8443'],
    ['https://DOOR.example', 'Door.Example'],
    ['https://door.example', 'door.example.'],
    ['http://[::1]:8080', '[0:0::1]:8080'],
    ['http://127.0.0.1:8080', '127.0.0.1:8080'],
  ])('G4 serves the page %s that calls %s', (origin, host) => {
    expect(judge({ origin, host })).toBe(200);
    expect(judge({ origin, host }, upgrade)).toBe(200);
  });

  it.each([
    ['https://evil.example', 'door.example'],
    ['https://door.example.evil.example', 'door.example'],
    ['https://evil-door.example', 'door.example'],
    ['https://xdoor.example', 'door.example'],
    ['https://door.example@evil.example', 'door.example'],
    ['https://evil.example#door.example', 'door.example'],
    ['https://evil.example?door.example', 'door.example'],
    ['https://evil.example\\door.example', 'door.example'],
    ['https://door.example/', 'door.example'],
    ['http://door.example', 'door.example:443'],
    ['https://door.example:8443', 'door.example'],
    ['https://door.example', 'door.example:8443'],
    ['http://localhost:3000', 'localhost:8080'],
    ['app://door.example:443', 'door.example:443'],
    ['chrome-extension://abcdef', 'abcdef'],
    ['null', 'door.example'],
    ['', 'door.example'],
    ['*', 'door.example'],
    ['door.example', 'door.example'],
    ['//door.example', 'door.example'],
    ['https://door.example, https://door.example', 'door.example'],
    ['https://door.example https://evil.example', 'door.example'],
  ])('G4 refuses the page %s that calls %s, by request and by WebSocket', (origin, host) => {
    expect(judge({ origin, host })).toBe(403);
    expect(judge({ origin, host }, upgrade)).toBe(403);
  });

  it('G4 judges no origin where there is none', () => {
    expect(judge({})).toBe(200);
    expect(judge({}, upgrade)).toBe(200);
  });

  it('G4 refuses an Origin that stands twice', () => {
    const origin = `https://${DOOR}`;
    expect(judge({ origin }, { rawHeaders: ['Origin', origin, 'origin', origin] })).toBe(403);
  });
});

describe('a list of origins', () => {
  it('G5 serves exactly the listed origins, and the own host only if it is one', () => {
    const judge = guard({ origins: ['https://app.example', 'http://local.example:3000', 'tauri://localhost'] });
    for (const origin of ['https://app.example', 'https://APP.example:443', 'http://local.example:3000', 'tauri://localhost'])
      expect(judge({ origin })).toBe(200);
    for (const origin of [
      `https://${DOOR}`,
      'http://app.example',
      'https://app.example:8443',
      'https://sub.app.example',
      'https://app.example.evil.example',
      'http://local.example',
      'tauri://other',
      'null',
    ])
      expect(judge({ origin })).toBe(403);
    expect(judge({})).toBe(200);
  });

  it.each([
    ['*'],
    ['null'],
    ['https://app.example/'],
    ['https://app.example/x'],
    ['https://*.example'],
    ['https://u@app.example'],
    ['app.example'],
    [''],
  ])('G5 refuses to start with the entry %j', (entry) => {
    expect(() => guard({ origins: ['https://app.example', entry] })).toThrow(expect.objectContaining({ code: 'ERR_GUARD_CONFIG' }));
  });

  it('G5 refuses to start with an empty list', () => {
    expect(() => guard({ origins: [] })).toThrow(expect.objectContaining({ code: 'ERR_GUARD_CONFIG' }));
  });

  it('G5 judges nothing that a browser says under `any`', () => {
    const judge = guard({ origins: 'any' });
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    expect(judge(foreign)).toBe(200);
    expect(judge({ 'sec-fetch-site': 'cross-site' }, upgrade)).toBe(200);
    expect(judge({ ...foreign, 'content-type': 'text/plain' })).toBe(415);
  });
});

describe('fetch metadata', () => {
  const origin = `https://${DOOR}`;
  const listed = guard({ origins: ['https://app.example'] });

  it('G6 refuses what a browser calls cross-site, unless its origin is listed', () => {
    expect(guard()({ 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(guard()({ 'sec-fetch-site': 'cross-site', origin })).toBe(403);
    expect(listed({ 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(listed({ 'sec-fetch-site': 'cross-site', origin: 'https://app.example' })).toBe(200);
    expect(listed({ 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' })).toBe(403);
  });

  it('G6 passes same-origin, same-site and none, and takes any other value for cross-site', () => {
    for (const site of ['same-origin', 'same-site', 'none']) {
      expect(guard()({ 'sec-fetch-site': site })).toBe(200);
      expect(guard()({ 'sec-fetch-site': site, origin })).toBe(200);
    }
    for (const site of ['', 'Same-Origin', 'same-origin, cross-site', 'next-door']) expect(guard()({ 'sec-fetch-site': site })).toBe(403);
  });

  it('G6 refuses an upgrade with Sec-Fetch-Site and no Origin; Sec-Fetch-Mode alone passes', () => {
    for (const judge of [guard(), listed]) {
      for (const site of ['same-origin', 'none', 'cross-site']) expect(judge({ 'sec-fetch-site': site }, upgrade)).toBe(403);
      expect(judge({ 'sec-fetch-mode': 'websocket' }, upgrade)).toBe(200);
    }
  });
});

describe('hosts', () => {
  const judge = guard({ hosts: ['Door.Example.', 'ported.example:8443', 'tls.example:443', '[2001:db8::1]', '192.0.2.7:80'] });

  it.each([
    ['door.example'],
    ['DOOR.EXAMPLE'],
    ['door.example.'],
    ['door.example:1'],
    ['door.example.:65535'],
    ['ported.example:8443'],
    ['ported.example.:8443'],
    ['tls.example'],
    ['tls.example:443'],
    ['[2001:db8:0:0::1]'],
    ['[2001:DB8::1]:9'],
    ['192.0.2.7'],
  ])('G7 serves %s', (host) => {
    expect(judge({ host })).toBe(200);
  });

  it.each([
    [undefined],
    [''],
    ['.'],
    ['door.example..'],
    ['.door.example'],
    ['door..example'],
    ['sub.door.example'],
    ['door.example.evil.example'],
    ['evil-door.example'],
    ['door.example:'],
    ['door.example:x'],
    ['door.example:80:80'],
    ['door.example:65536'],
    ['door.example:999999'],
    ['user@door.example'],
    ['door.example/'],
    ['door.example?'],
    ['door.example, evil.example'],
    ['door.example evil.example'],
    ['http://door.example'],
    ['ported.example'],
    ['ported.example:443'],
    ['tls.example:8443'],
    ['2001:db8::1'],
    ['[2001:db8::2]'],
    ['[2001:db8::1'],
    ['[2001:db8::1%25eth0]'],
    ['[door.example]'],
    ['192.0.2.7:81'],
    ['192.0.519'],
    ['dòor.example'],
    [`${'a'.repeat(300)}.example`],
  ])('G7 answers 421 to %j', (host) => {
    expect(judge({ host })).toBe(421);
    expect(judge({ host }, upgrade)).toBe(421);
  });

  it('G7 looks at Host only, never at X-Forwarded-Host', () => {
    const proxied = guard({ hosts: [DOOR], trustedProxies: ['192.0.2.1'] });
    expect(proxied({ host: 'inner', 'x-forwarded-host': DOOR })).toBe(421);
    expect(proxied({ 'x-forwarded-host': 'other.example' })).toBe(200);
  });

  it('G7 answers 421 to a Host that stands twice, of which Node shows the first, and to garbage where every host is served', () => {
    expect(judge({ host: DOOR }, { rawHeaders: ['Host', DOOR, 'HOST', DOOR] })).toBe(421);
    for (const host of [undefined, '', 'a b', 'a,b']) expect(guard()({ host })).toBe(421);
  });

  it('G8 answers to loopback names only on a loopback bind without a list: a rebound name is refused', () => {
    for (const bindHost of ['127.0.0.1', '127.8.9.10', 'localhost', '::1', '::ffff:127.0.0.1']) {
      const near = guard({ bindHost });
      for (const host of ['localhost', 'localhost.', 'LOCALHOST:8080', '127.0.0.1:8080', '[::1]', '[0:0:0:0:0:0:0:1]:8080'])
        expect(near({ host })).toBe(200);
      for (const host of [
        'rebound.example:8080',
        'localhost.evil.example',
        '127.0.0.1.evil.example',
        '127.1',
        '2130706433',
        '0.0.0.0',
        '[::]',
      ])
        expect(near({ host })).toBe(421);
    }
  });

  it('G8 serves every host on another bind without a list, and warns once', () => {
    for (const bindHost of ['0.0.0.0', '::', '192.0.2.7', 'door.example', '128.0.0.1']) {
      expect(guard({ bindHost })({ host: 'whatever.example' })).toBe(200);
      expect(bootWarnings({ bindHost })).toEqual([expect.stringContaining('guard.hosts')]);
      expect(bootWarnings({ bindHost, hosts: [DOOR] })).toEqual([]);
    }
    expect(bootWarnings({ bindHost: '127.0.0.1' })).toEqual([]);
    expect(bootWarnings({ bindHost: '127.0.0.1', origins: 'any' })).toEqual([expect.stringContaining('guard.origins')]);
  });

  it.each([[[]], [['']], [['*']], [['*.example']], [['https://door.example']], [['::1']], [['door.example:http']]])(
    'G8 refuses to start with the hosts %j',
    (hosts) => {
      expect(() => guard({ hosts })).toThrow(expect.objectContaining({ code: 'ERR_GUARD_CONFIG' }));
    },
  );
});

describe('proxies', () => {
  const trustedProxies = ['192.0.2.1', '10.0.0.0/8', '2001:db8:1::/48'];
  const proxied = { origin: 'https://door.example', host: 'inner:8080', 'x-forwarded-host': 'edge.example, door.example' };

  it('G4 and G10 take the hosts that a trusted proxy was asked for', () => {
    const judge = guard({ trustedProxies });
    for (const from of ['192.0.2.1', '::ffff:192.0.2.1', '10.255.0.1', '2001:db8:1:2::3']) expect(judge(proxied, { from })).toBe(200);
    expect(judge({ ...proxied, origin: 'https://other.example' }, { from: '192.0.2.1' })).toBe(403);
    expect(judge({ ...proxied, 'x-forwarded-host': 'door.example:8443' }, { from: '192.0.2.1' })).toBe(403);
  });

  it('G10 ignores X-Forwarded-Host from anyone else', () => {
    const judge = guard({ trustedProxies });
    for (const from of ['192.0.2.2', '11.0.0.1', '2001:db8:2::1', '::ffff:192.0.2.2', 'fe80::1%eth0', 'unix', undefined])
      expect(judge(proxied, { from })).toBe(403);
    expect(guard()(proxied, { from: '192.0.2.1' })).toBe(403);
  });

  it.each([['10.0.0.0/33'], ['2001:db8::/129'], ['proxy.example'], ['10.0.0'], ['10.0.0.1/x'], ['']])(
    'G10 refuses to start with the proxy %j',
    (entry) => {
      expect(() => guard({ trustedProxies: [entry] })).toThrow(expect.objectContaining({ code: 'ERR_GUARD_CONFIG' }));
    },
  );
});

it('G9 names the rule and the option in each refusal, and nothing of the caller’s', () => {
  const judge = makeGuard({ bindHost: '127.0.0.1', contentType: true, trustedProxies: [] });
  const ask = (headers: IncomingHttpHeaders) =>
    judge({ method: 'POST', isUpgrade: false, isProbe: false, headers, from: undefined, rawHeaders: [] }) as {
      code: string;
      error: string;
    };
  const marked = { host: 'marked.example', origin: 'https://marked.example', 'content-type': 'marked/type' };
  const told = [ask(marked), ask({ ...marked, host: 'localhost' }), ask({ host: 'localhost', 'content-type': 'marked/type' })];
  expect(told.map(({ code }) => code)).toEqual(['ERR_HOST_NOT_ALLOWED', 'ERR_ORIGIN_NOT_ALLOWED', 'ERR_UNSUPPORTED_MEDIA_TYPE']);
  expect(told.map(({ error }) => /setting (guard\.\w+)/.exec(error)?.[1])).toEqual(['guard.hosts', 'guard.origins', 'guard.contentType']);
  expect(JSON.stringify(told)).not.toContain('marked');
});
