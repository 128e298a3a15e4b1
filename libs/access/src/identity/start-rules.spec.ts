import { judgeStart, type StartIdentity } from './start-rules.js';

const open: StartIdentity = { bindHost: '127.0.0.1', hasVerifier: false, open: false, openOnNetwork: 'no', issuers: [] };
const issuer = { issuer: 'https://id.example', audiences: ['doors'] };

it('I1 says loudly at each start without a verifier that nobody is checked', () => {
  for (const bindHost of ['127.0.0.1', 'localhost', '::1', '::ffff:127.0.0.1', '127.1.2.3'])
    expect(judgeStart({ ...open, bindHost })).toEqual([expect.stringContaining('NOBODY’S IDENTITY IS CHECKED')]);
});

it('I1 refuses that on an address other machines reach, unless told twice', () => {
  for (const bindHost of ['0.0.0.0', '::', '192.0.2.7', 'door.example', 'localhost.example']) {
    for (const told of [{}, { open: true }, { openOnNetwork: 'i-know' as const }])
      expect(() => judgeStart({ ...open, bindHost, ...told })).toThrow(expect.objectContaining({ code: 'ERR_OPEN_DOOR' }));
    expect(judgeStart({ ...open, bindHost, open: true, openOnNetwork: 'i-know' })).toEqual([
      expect.stringContaining('WHO REACHES THIS ADDRESS'),
    ]);
  }
});

it('I1 starts anywhere with a verifier, and has nothing to say', () => {
  expect(judgeStart({ ...open, bindHost: '0.0.0.0', hasVerifier: true, issuers: [issuer] })).toEqual([]);
});

it('I7 warns of keys that come over plain HTTP from another machine', () => {
  const warned = (more: object) => judgeStart({ ...open, hasVerifier: true, issuers: [{ ...issuer, ...more }] }).length;
  expect(warned({ jwksUri: 'http://id.example/keys' })).toBe(1);
  expect(warned({ issuer: 'http://id.example' })).toBe(1);
  expect(warned({ jwksUri: 'http://[::1]:9000/keys' })).toBe(0);
  expect(warned({ jwksUri: 'http://localhost/keys' })).toBe(0);
});
