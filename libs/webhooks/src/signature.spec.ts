import { secretOf, signatureOf } from './signature.js';

/** The published example of the scheme. */
const example = {
  id: 'msg_loFOjxBNrRLzqYUf',
  timestamp: 1731705121,
  body: '{"event_type":"ping","data":{"success":true}}',
  secret: 'whsec_plJ3nmyCDGBKInavdOK15jsl',
  signature: 'v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=',
};
const key = (fill: number, bytes = 32) => Buffer.alloc(bytes, fill);
const text = (bytes: Buffer) => `whsec_${bytes.toString('base64')}`;

it('N54 signs as the Standard Webhooks specification does', () => {
  expect(signatureOf(example, [Buffer.from(example.secret.slice('whsec_'.length), 'base64')])).toBe(example.signature);
});

it('N54 signs under every secret, so that a receiver can go from one to the next', () => {
  const [one, two] = [1, 2].map((fill) => signatureOf(example, [key(fill)]));
  expect(one).not.toBe(two);
  expect(signatureOf(example, [key(1), key(2)])).toBe(`${one} ${two}`);
});

it('N54 takes a secret of 24 to 64 bytes in its written form, and no other text', () => {
  for (const bytes of [24, 32, 64]) expect(secretOf(text(key(7, bytes)))).toEqual(key(7, bytes));
  for (const wrong of ['', 'whsec_', text(key(7, 23)), text(key(7, 65)), key(7).toString('base64'), `${text(key(7))}!`])
    expect(secretOf(wrong)).toBeUndefined();
});
