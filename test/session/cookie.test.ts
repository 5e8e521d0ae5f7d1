// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { readSessionCookie } from '../../lambda/session/cookie-reader';
import { clearSessionCookie, serializeSessionCookie } from '../../lambda/session/cookie-writer';
import { generateSessionToken, hashSessionToken, parseSessionToken } from '../../lambda/session/token';

const NAME = '__Host-session';
const TOKEN = Buffer.from(Array.from({ length: 32 }, (_, index) => index)).toString('base64url');
const tokens = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('base64url'));

describe('the session token', () => {
  test('is 43 characters of base64url from 32 random bytes', () => {
    expect(generateSessionToken(() => Uint8Array.from({ length: 32 }, (_, index) => index))).toBe(TOKEN);
  });

  test('is never made from a random source that fails or returns too little', () => {
    expect(() =>
      generateSessionToken(() => {
        throw new Error('no entropy');
      }),
    ).toThrow('no entropy');
    expect(() => generateSessionToken(() => new Uint8Array(16))).toThrow('32 bytes');
  });

  test('never repeats in a hundred thousand', () => {
    const made = new Set(Array.from({ length: 100_000 }, () => generateSessionToken()));
    expect(made.size).toBe(100_000);
  });

  test('is hashed with SHA-256 over its characters', () => {
    expect(hashSessionToken(TOKEN)).toBe('ea866a757e4c38babfa8127cbe9a409d3e1f93a00ff1488ff735fcf917afffd0');
  });

  test('has exactly one accepted spelling', () => {
    fc.assert(
      fc.property(tokens, (token) => {
        const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
        const accepted = [...last].filter((character) => parseSessionToken(token.slice(0, 42) + character) !== null);
        const bytesOf = (text: string): string => Buffer.from(text, 'base64url').toString('hex');
        expect(parseSessionToken(token)).toBe(token);
        expect(new Set(accepted.map((character) => bytesOf(token.slice(0, 42) + character))).size).toBe(16);
        expect(accepted).toHaveLength(16);
      }),
    );
  });
});

describe('reading the cookie', () => {
  test('finds the token wherever browsers put it', () => {
    fc.assert(
      fc.property(
        tokens,
        fc.array(fc.stringMatching(/^[a-z]{1,8}=[a-zA-Z0-9%",.]{0,20}$/)),
        fc.nat(),
        (token, others, at) => {
          const pairs = [...others];
          pairs.splice(at % (pairs.length + 1), 0, `${NAME}=${token}`);
          expect(readSessionCookie([pairs.join('; ')], NAME)).toEqual({ token });
          expect(readSessionCookie(pairs, NAME)).toEqual({ token });
        },
      ),
    );
  });

  test('never throws and never returns anything but a well-formed token that stands in the header', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string(),
      fc
        .array(fc.constantFrom(NAME, '=', ';', ' ', '\t', '"', ',', TOKEN, '\u2000', '\ud800', '\0', '\r\n', '%', '$'))
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(texts, fc.anything())), (lines) => {
        const outcome = readSessionCookie(lines, NAME);
        if ('token' in outcome) {
          expect(parseSessionToken(outcome.token)).toBe(outcome.token);
          expect(lines.join('; ')).toContain(`${NAME}=${outcome.token}`);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('refuses a second pair of the name, whatever its value and place', () => {
    fc.assert(
      fc.property(
        tokens,
        fc.string({ unit: fc.constantFrom('a', '"', '=', ' ', '.') }),
        fc.boolean(),
        (token, value, isFirst) => {
          const pairs = [`${NAME}=${token}`, `${NAME}=${value}`];
          expect(readSessionCookie([(isFirst ? pairs.reverse() : pairs).join('; ')], NAME)).toEqual({
            refused: 'duplicate',
          });
        },
      ),
    );
  });

  test.each([
    ['no lines', [], 'missing'],
    ['an empty line', [''], 'missing'],
    ['another cookie', ['a=1'], 'missing'],
    ['the name without a value sign', [NAME], 'missing'],
    ['a name that only ends like it', [`x${NAME}=${TOKEN}`], 'missing'],
    ['a name that only begins like it', [`${NAME}2=${TOKEN}`], 'missing'],
    ['a blank between name and value sign', [`${NAME} =${TOKEN}`], 'missing'],
    ['an empty value', [`${NAME}=`], 'malformed'],
    ['a quoted value', [`${NAME}="${TOKEN}"`], 'malformed'],
    ['a line that is no string', [`${NAME}=${TOKEN}`, 7], 'malformed'],
    ['one character over the cap', [`a=${'x'.repeat(10_239)}`], 'tooLong'],
    ['a control character in another cookie', [`a=\u0001; ${NAME}=${TOKEN}`], 'malformed'],
  ])('refuses %s', (_name, lines, refused) => {
    expect(readSessionCookie(lines, NAME)).toEqual({ refused });
  });

  test('takes a header of exactly 10,240 characters', () => {
    const own = `; ${NAME}=${TOKEN}`;
    const header = `a=${'x'.repeat(10_240 - 2 - own.length)}${own}`;
    expect(header).toHaveLength(10_240);
    expect(readSessionCookie([header], NAME)).toEqual({ token: TOKEN });
  });

  test('allows HTAB, and blanks around a pair', () => {
    expect(readSessionCookie([`a=1;\t ${NAME}=${TOKEN} \t; b=2`], NAME)).toEqual({ token: TOKEN });
  });
});

describe('writing the cookie', () => {
  test('sets every attribute that the __Host- prefix wants and no other', () => {
    expect(serializeSessionCookie(TOKEN, { name: NAME, maxAgeSeconds: 60 })).toBe(
      `__Host-session=${TOKEN}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=60`,
    );
  });

  test('clears with the same attributes, so that browsers take it for the same cookie', () => {
    expect(clearSessionCookie({ name: NAME })).toBe(
      '__Host-session=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT',
    );
  });

  test('leaves Secure out only on insecure localhost, where no prefix is allowed', () => {
    expect(serializeSessionCookie(TOKEN, { name: 'session', maxAgeSeconds: 60, insecureLocalhost: true })).toBe(
      `session=${TOKEN}; Path=/; HttpOnly; SameSite=Lax; Max-Age=60`,
    );
    expect(() => serializeSessionCookie(TOKEN, { name: NAME, maxAgeSeconds: 60, insecureLocalhost: true })).toThrow(
      'name must',
    );
  });

  test.each(['a; Domain=evil.example', '', 'a=b', 'a b', 'a\r\nX: 1', 'ä'])('refuses the cookie name %j', (name) => {
    expect(() => serializeSessionCookie(TOKEN, { name, maxAgeSeconds: 60 })).toThrow('name must be a cookie name');
    expect(() => clearSessionCookie({ name })).toThrow('name must be a cookie name');
  });

  test('refuses to write anything but a token, and does not repeat it', () => {
    const secret = `${TOKEN}; Domain=evil.example`;
    expect(() => serializeSessionCookie(secret, { name: NAME, maxAgeSeconds: 60 })).toThrow(/^not a session token$/);
  });

  test('what is written is read', () => {
    fc.assert(
      fc.property(tokens, (token) => {
        const [pair] = serializeSessionCookie(token, { name: NAME, maxAgeSeconds: 1 }).split(';');
        expect(readSessionCookie([pair], NAME)).toEqual({ token });
      }),
    );
  });
});
