import fc from 'fast-check';
import { bearerOf, bearerOfSubprotocols } from './bearer.js';

const encoded = (token: string) => `doorledger.bearer.${Buffer.from(token).toString('base64url')}`;

describe('a bearer in the Authorization header', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['BEARER   abc  ', 'abc'],
    ['Bearer a b', 'a b'],
  ])('I2 is found in %j', (header, token) => {
    expect(bearerOf(header)).toBe(token);
  });

  it.each([
    [undefined],
    [''],
    ['Bearer'],
    ['Bearer '],
    ['Bearer    '],
    ['Bearerabc'],
    ['Basic abc'],
    ['abc'],
    ['x Bearer abc'],
    [' Bearer abc'],
  ])('I2 is not found in %j', (header) => {
    expect(bearerOf(header)).toBeUndefined();
  });
});

describe('a bearer beside the subprotocol', () => {
  it('I2 is read, and the answer selects doorledger.v1 and never the token', () => {
    for (const header of [
      `doorledger.v1, ${encoded('a.b.c')}`,
      `${encoded('a.b.c')},doorledger.v1`,
      `x, doorledger.v1 ,${encoded('a.b.c')}`,
    ])
      expect(bearerOfSubprotocols(header)).toEqual({ bearer: 'a.b.c', selected: 'doorledger.v1' });
    expect(bearerOfSubprotocols('doorledger.v1')).toEqual({ selected: 'doorledger.v1' });
    expect(bearerOfSubprotocols('doorledger.v1, doorledger.bearer.')).toEqual({ selected: 'doorledger.v1' });
  });

  it('I2 is not read, and nothing is selected, without doorledger.v1', () => {
    for (const header of [undefined, '', 'graphql-ws', encoded('a.b.c'), `doorledger.v11, ${encoded('a.b.c')}`])
      expect(bearerOfSubprotocols(header)).toEqual({});
  });

  it('I2 is borne as it stands when it is no base64url: a broken token is never taken for none', () => {
    expect(bearerOfSubprotocols('doorledger.v1, doorledger.bearer.!')).toEqual({ bearer: '!', selected: 'doorledger.v1' });
    expect(bearerOfSubprotocols('doorledger.v1, doorledger.bearer.IA').bearer).toBe('IA');
  });

  it('I2 comes back as it was, whatever it is made of', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (text) => {
        const token = text.trim() || 'x';
        fc.pre(token === Buffer.from(token).toString());
        expect(bearerOfSubprotocols(`doorledger.v1, ${encoded(token)}`).bearer).toBe(token);
      }),
    );
  });
});
