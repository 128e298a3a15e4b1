import { isMintedId, mintSessionId } from './minted-id.js';
import { cookieOf, sessionOfCookie } from './session-cookie.js';

const references = { mintedMac: (uuid: string) => uuid.replaceAll('-', '').slice(0, 16).split('').reverse().join('') };
const id = mintSessionId(references);
const cookies = { name: 'session', secure: false };

it('O1 knows the ids it minted, and takes one whose MAC fails for any other', () => {
  expect(isMintedId(id, references)).toBe(true);
  const other = id.endsWith('0') ? `${id.slice(0, -1)}1` : `${id.slice(0, -1)}0`;
  for (const not of [other, id.toUpperCase(), `${id}0`, ` ${id}`, id.slice(0, 36), 'x', ''])
    expect(isMintedId(not, references)).toBe(false);
});

it('D13 reads a session from its cookie only when the MAC is right, wherever in the header it stands', () => {
  expect(sessionOfCookie(`a=b; session=${id}; c=d`, cookies, references)).toBe(id);
  for (const header of [undefined, '', 'session', 'session=', `other=${id}`, `session=${id}x`, `xsession=${id}`])
    expect(sessionOfCookie(header, cookies, references)).toBeUndefined();
  expect(sessionOfCookie(`session=forged; session=${id}`, cookies, references)).toBe(id);
});

it('D13 sets a cookie that scripts cannot read and that other sites’ forms do not send', () => {
  expect(cookieOf(id, cookies)).toBe(`session=${id}; Path=/; HttpOnly; SameSite=Lax`);
  expect(cookieOf(id, { ...cookies, secure: true })).toMatch(/; Secure$/);
});
