// SPDX-License-Identifier: Apache-2.0
/** Signatures against the packages that everybody uses: each side reads what the other writes. */
import { sign as signWithPackage, unsign as unsignWithPackage } from 'cookie-signature';
import fc from 'fast-check';
import Keygrip from 'keygrip';
import { signSessionId, unsignExpressCookie } from '../../lambda/legacy/express-session/unsign-express-cookie';
import { parseCookieData, serializeCookieData } from '../../lambda/legacy/signed-cookie/cookie-data';
import { findSigningKey, signCookie } from '../../lambda/legacy/signed-cookie/cookie-signature';
import { verifySignedCookie } from '../../lambda/legacy/signed-cookie/verify-signed-cookie';
import { ConfigurationError } from '../../lambda/settings';

const NOW = 1_800_000_000;
const KEYS = ['k1-secret', 'k0-older'];

describe('a signature of Keygrip', () => {
  // Produced by the package itself.
  const value = 'eyJwYXNzcG9ydCI6eyJ1c2VyIjoidS0xIn0sImNzcmYiOiJ0b2stw6krLz0ifQ==';
  it.each([
    ['sha1', 'k1-secret', value, 'imhKlwWHo-embRzdVA2FuIGqKeY'],
    ['sha256', 'k1-secret', value, 'QLmpjjOMjqv4NicWDdC9ZsWEo2xaWEvjZpY0h6zwusI'],
    ['sha256', 'k1', 'eyJhIjoxfQ==', 'IllLbUurxY3To-2WI9Mq64kOeRN0RK9oqBE6Duq4Vtg'],
  ] as const)('%s with %s is the known one', (algorithm, key, text, signature) => {
    expect(signCookie('session-cookie', text, key, algorithm)).toBe(signature);
  });

  it('is read and written as the package does, with any key and data', () => {
    const key = fc.string({ minLength: 1 });
    fc.assert(
      fc.property(key, key, fc.jsonValue(), fc.constantFrom('sha1', 'sha256'), (first, second, data, algorithm) => {
        const text = serializeCookieData({ data });
        const theirs = new Keygrip([second], algorithm).sign(`session=${text}`);
        expect(theirs).toBe(signCookie('session', text, second, algorithm));
        const expected = first === second ? 0 : 1;
        expect(findSigningKey({ name: 'session', value: text, signature: theirs }, [first, second], algorithm)).toBe(
          expected,
        );
      }),
    );
  });

  it('made for another cookie proves nothing', () => {
    const signature = signCookie('other', 'e30=', KEYS[0] ?? '', 'sha256');

    expect(findSigningKey({ name: 'session', value: 'e30=', signature }, KEYS, 'sha256')).toBeUndefined();
  });
});

describe('a signed session', () => {
  const session = { user: 'u-1', iat: NOW - 10, exp: NOW + 60 };
  const verify = (data: object, key = KEYS[0] ?? '', now = NOW) => {
    const value = serializeCookieData(data);
    const signature = signCookie('session', value, key, 'sha256');
    return verifySignedCookie({ name: 'session', value, signature, keys: KEYS, now });
  };

  it('gives user, dates and data, and says whether the first key signed', () => {
    const data = { ...session, cart: ['x'] };

    expect(verify(data)).toEqual({
      user: 'u-1',
      issuedAt: NOW - 10,
      expiresAt: NOW + 60,
      data,
      isSignedWithFirstKey: true,
    });
    expect(verify(data, KEYS[1])).toMatchObject({ isSignedWithFirstKey: false });
  });

  it.each([
    ['expires this second', { ...session, exp: NOW }],
    ['was issued beyond any clock skew', { ...session, iat: NOW + 61, exp: NOW + 100 }],
    ['ends before it began', { ...session, iat: NOW + 50, exp: NOW + 50 }],
    ['lives longer than any session may', { ...session, exp: NOW + 401 * 86_400 }],
    ['has milliseconds', { ...session, iat: NOW * 1000, exp: NOW * 1000 + 60_000 }],
    ['has no beginning', { user: 'u-1', exp: NOW + 60 }],
    ['has no end', { user: 'u-1', iat: NOW - 10 }],
    ['has no user', { iat: NOW - 10, exp: NOW + 60 }],
    ['has a fraction for an end', { ...session, exp: NOW + 0.5 }],
    ['nests a prototype', JSON.parse(`{"user":"u-1","iat":${NOW - 10},"exp":${NOW + 60},"a":{"__proto__":{}}}`)],
  ])('is refused if it %s', (_, data) => {
    expect(verify(data)).toBeNull();
  });

  it.each([
    ['no keys', []],
    ['an empty key', ['']],
    ['a key of white space', [' ']],
    ['an empty key among others', ['k1', '']],
    ['something else than keys', 'k1'],
  ])('is a fault of the configuration with %s', (_, keys) => {
    const input = { name: 'session', value: 'e30=', signature: 'x', keys: keys as string[], now: NOW };

    expect(() => verifySignedCookie(input)).toThrow(ConfigurationError);
    expect(() => verifySignedCookie(input)).toThrow(/^keys must (hold|be a list of)/);
  });

  it.each([undefined, null, Number.NaN, Number.POSITIVE_INFINITY, NOW + 0.5, String(NOW), new Date(NOW * 1000)])(
    'is a fault of the configuration where the time is %p, with which none would ever be over',
    (now) => {
      const value = serializeCookieData({ ...session, exp: NOW - 1 });
      const signature = signCookie('session', value, KEYS[0] ?? '', 'sha256');
      const verifyNow = () => verifySignedCookie({ name: 'session', value, signature, keys: KEYS, now: now as number });

      expect(verifyNow).toThrow(ConfigurationError);
      expect(verifyNow).toThrow(/^now must be a time in whole Unix seconds/);
    },
  );

  it('is refused without an exception, whatever a client sends', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (value, signature) => {
        expect(verifySignedCookie({ name: 'session', value, signature, keys: KEYS, now: NOW })).toBeNull();
      }),
    );
  });
});

describe('data in a cookie', () => {
  it.each([
    ['nothing', ''],
    ['unpadded base64', 'e30'],
    ['base64url', 'eyJhIjoiPz8_In0='],
    ['spare bits that are not zero', 'e31='],
    ['no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]).toString('base64')],
    ['a byte order mark', Buffer.from('\ufeff{}').toString('base64')],
    ['an array', 'W10='],
    ['text', 'ImEi'],
  ])('is refused if it is %s', (_, value) => {
    expect(parseCookieData(value)).toBeUndefined();
  });

  it('comes back as it was written', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (data) => {
        const text = JSON.stringify(data);
        if (text.includes('__proto__')) return;
        expect(JSON.stringify(parseCookieData(serializeCookieData(data)))).toBe(text);
      }),
    );
  });
});

describe('a cookie of express-session', () => {
  const id = 'abcDEF-_0123456789abcDEF-_012345';
  // Produced by the package itself with the secret `s-new`.
  const signed = `s:${id}.7GUQKzT6JD7G2h76g1zkkN5RCkkhFdp2dod2Y8Gcliw`;

  it.each([
    ['as it is', signed],
    ['percent-encoded', encodeURIComponent(signed)],
    ['percent-encoded in part', signed.replace(':', '%3A')],
  ])('is read %s', (_, value) => {
    expect(unsignExpressCookie(value, ['s-new'])).toBe(id);
    expect(unsignExpressCookie(value, ['s-newer', 's-new'])).toBe(id);
  });

  it.each([
    ['of an unknown secret', ['s-other'], signed],
    ['with a character more', ['s-new'], `${signed}A`],
    ['with a padded signature', ['s-new'], `${signed}=`],
    ['with an empty signature', ['s-new'], `s:${id}.`],
    ['without a signature', ['s-new'], `s:${id}`],
    ['without its prefix', ['s-new'], signed.slice(2)],
    ['with half an escape', ['s-new'], `${encodeURIComponent(signed)}%`],
    ['encoded twice', ['s-new'], encodeURIComponent(encodeURIComponent(signed))],
    ['in quotes', ['s-new'], `"${signed}"`],
    ['of an id that is too short', ['s-new'], `s:${signWithPackage('short', 's-new')}`],
    ['of an id with a dot', ['s-new'], `s:${signWithPackage('abcDEF-_0123.56789abcDEF-_012345', 's-new')}`],
    ['of an id of 129 characters', ['s-new'], `s:${signWithPackage('a'.repeat(129), 's-new')}`],
  ])('is refused %s', (_, secrets, value) => {
    expect(unsignExpressCookie(value, secrets)).toBeNull();
  });

  it('is read and written as the package does, with any secret and id', () => {
    const ids = fc.stringMatching(/^[A-Za-z0-9_-]{16,128}$/);
    fc.assert(
      // White space alone is refused as a secret.
      fc.property(
        ids,
        fc.string().map((text) => `s${text}`),
        (anyId, secret) => {
          expect(unsignExpressCookie(encodeURIComponent(`s:${signWithPackage(anyId, secret)}`), [secret])).toBe(anyId);
          expect(unsignWithPackage(`${anyId}.${signSessionId(anyId, secret)}`, secret)).toBe(anyId);
        },
      ),
    );
  });

  it.each([
    ['no secrets', []],
    ['an empty secret', ['']],
    ['a secret of white space', ['\n']],
  ])('is a fault of the configuration with %s', (_, secrets) => {
    expect(() => unsignExpressCookie(signed, secrets)).toThrow(ConfigurationError);
  });

  it('is refused without an exception, whatever a client sends', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.anything(),
          fc.string().map((text) => `s:${text}`),
        ),
        (value) => {
          expect(unsignExpressCookie(value, ['s-new'])).toBeNull();
        },
      ),
    );
  });
});
