// SPDX-License-Identifier: Apache-2.0
/** Reading serialized PHP: what is taken, what is refused and why, and that nothing makes it throw. */
import fc from 'fast-check';
import { parsePhpSession } from '../../../lambda/legacy/php/parse-php-session';
import type { PhpSessionFormat } from '../../../lambda/legacy/php/php-value';

/** Plain objects, so that they can be compared with literals. */
function read(data: unknown, format?: PhpSessionFormat): unknown {
  const outcome = parsePhpSession(data, format);
  return 'refused' in outcome ? outcome.refused : structuredClone(outcome.data);
}

const nested = (levels: number) => `${'a:1:{i:0;'.repeat(levels)}N;${'}'.repeat(levels)}`;

describe('the format php', () => {
  it.each([
    ['', {}],
    ['login_ok|b:1;nome|s:4:"sica";inteiro|i:34;', { login_ok: true, nome: 'sica', inteiro: 34 }],
    ['a|N;', { a: null }],
    ['a|b:0;', { a: false }],
    ['a|i:-5;', { a: -5 }],
    ['a|i:9223372036854775807;', { a: 9223372036854775807n }],
    ['a|i:-9223372036854775808;', { a: -9223372036854775808n }],
    ['a|d:0.1;', { a: 0.1 }],
    ['a|d:0.10000000000000001;', { a: 0.1 }],
    ['a|d:1.0E+25;', { a: 1e25 }],
    ['a|d:-1.5E-7;', { a: -1.5e-7 }],
    ['a|d:-0;', { a: -0 }],
    ['a|d:INF;b|d:-INF;c|d:NAN;', { a: Infinity, b: -Infinity, c: NaN }],
    ['a|s:0:"";', { a: '' }],
    ['é|s:2:"ü";', { é: 'ü' }],
    ['a|s:4:"😀";', { a: '😀' }],
    ['a|s:8:"";b|i:1;";', { a: '";b|i:1;' }],
    ['a|s:3:"\u{feff}";', { a: '\u{feff}' }],
    ['a|a:0:{}', { a: [] }],
    ['a|a:2:{i:0;s:1:"x";i:1;N;}', { a: ['x', null] }],
    ['a|a:2:{i:1;s:1:"x";i:0;N;}', { a: { 1: 'x', 0: null } }],
    ['a|a:1:{s:11:"constructor";i:1;}', { a: { constructor: 1 } }],
    [`a|${nested(65)}`, expect.anything()],
  ])('reads %j', (data, expected) => {
    expect(read(data)).toEqual(expected);
  });

  it.each([
    ['malformed', 'a'],
    ['malformed', 'a|'],
    ['malformed', 'a|i:1'],
    ['malformed', 'a|i:+1;'],
    ['malformed', 'a|i:01;'],
    ['malformed', 'a|i:-0;'],
    ['malformed', 'a|i:0x1;'],
    ['malformed', 'a|i:9223372036854775808;'],
    ['malformed', 'a|b:2;'],
    ['malformed', 'a|d:;'],
    ['malformed', 'a|d:1e5;'],
    ['malformed', 'a|d:.5;'],
    ['malformed', 'a|s:1:"ü";'],
    ['malformed', 'a|s:3:"ü";'],
    ['malformed', 'a|s:1:"x"'],
    ['malformed', 'a|s:01:"x";'],
    ['malformed', 'a|s:-1:"x";'],
    ['malformed', 'a|S:1:"x";'],
    ['malformed', 'a|s:9:"x";'],
    ['malformed', 'a|a:1:{}'],
    ['malformed', 'a|a:2:{i:0;N;}'],
    ['malformed', 'a|a:999999999:{i:0;N;}'],
    ['malformed', 'a|a:1:{N;N;}'],
    ['malformed', 'a|a:1:{d:1;N;}'],
    ['malformed', 'a|a:1:{i:0;N;'],
    ['malformed', 'a|i:1;}'],
    ['malformed', '!a|b|i:1;'],
    ['object', 'a|O:8:"stdClass":0:{}'],
    ['object', 'a|a:1:{i:0;O:8:"stdClass":0:{}}'],
    ['object', 'a|C:3:"Foo":0:{}'],
    ['object', 'a|E:11:"Suit:Hearts";'],
    ['reference', 'a|i:1;b|R:1;'],
    ['reference', 'a|a:2:{i:0;i:1;i:1;r:2;}'],
    ['duplicateKey', 'a|i:1;a|i:2;'],
    ['duplicateKey', 'a|a:2:{i:0;N;i:0;N;}'],
    ['duplicateKey', 'a|a:2:{i:1;N;s:1:"1";N;}'],
    ['unsafeKey', '__proto__|a:1:{s:5:"admin";b:1;}'],
    ['unsafeKey', 'a|a:1:{s:9:"__proto__";N;}'],
    ['tooDeep', `a|${nested(66)}`],
    ['tooDeep', `a|${'a:1:{i:0;'.repeat(40_000)}`],
    ['tooLarge', `a|s:409601:"${'x'.repeat(409_601)}";`],
    ['tooLarge', 'ü'.repeat(300_000)],
    ['malformed', 'a|s:3:"\u{d800}";'],
    ['malformed', undefined],
    ['malformed', { length: 3 }],
    ['malformed', new Uint8Array([0x61, 0x7c, 0x73, 0x3a, 0x31, 0x3a, 0x22, 0xff, 0x22, 0x3b])],
  ])('refuses as %s: %j', (reason, data) => {
    expect(read(data)).toBe(reason);
  });

  it('gives records without a prototype, so that a name finds nothing that is not data', () => {
    const outcome = parsePhpSession('a|a:1:{s:1:"b";i:1;}');

    expect('data' in outcome && Object.getPrototypeOf(outcome.data)).toBeNull();
    expect('data' in outcome && Object.getPrototypeOf(outcome.data.a)).toBeNull();
  });
});

describe('the format php_serialize', () => {
  it.each([
    ['', {}],
    ['a:0:{}', {}],
    ['a:1:{s:8:"login_ok";b:1;}', { login_ok: true }],
    ['a:2:{i:0;s:1:"x";s:1:"a";i:1;}', { 0: 'x', a: 1 }],
    ['a:1:{i:0;s:1:"x";}', { 0: 'x' }],
    ['a:0:{}x', 'trailingBytes'],
    ['a:0:{}a:0:{}', 'trailingBytes'],
    ['i:1;', 'malformed'],
    ['N;', 'malformed'],
    ['O:8:"stdClass":0:{}', 'object'],
  ])('%j gives %j', (data, expected) => {
    expect(read(data, 'php_serialize')).toEqual(expected);
  });
});

describe('the format php_binary', () => {
  it.each([
    ['', {}],
    [Buffer.from('A2Zvb2k6MTIzNDU2Nzg5MDs=', 'base64'), { foo: 1234567890 }],
    ['\x03fooi:1;\x02éb:1;', { foo: 1, é: true }],
    [Buffer.from([0x83, 0x66, 0x6f, 0x6f]), 'malformed'],
    ['\x09foo', 'malformed'],
    ['\x03foo', 'malformed'],
    ['\x01éi:1;', 'malformed'],
    ['\x01ai:1;\x01ai:1;', 'duplicateKey'],
  ])('%j gives %j', (data, expected) => {
    expect(read(data, 'php_binary')).toEqual(expected);
  });
});

describe('anything at all', () => {
  const format = fc.constantFrom<PhpSessionFormat>('php', 'php_serialize', 'php_binary');
  const pieces = fc.constantFrom(
    'a|',
    'a:1:{',
    '}',
    'i:0;',
    's:1:"x";',
    'N;',
    'O:1:"A":0:{}',
    'R:1;',
    '\x01a',
    'ü',
    '"',
  );

  it('gives data or a reason and never throws', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.uint8Array(),
          fc.array(pieces).map((all) => all.join('')),
        ),
        format,
        (data, as) => {
          const outcome = parsePhpSession(data, as);
          expect('data' in outcome || typeof outcome.refused === 'string').toBe(true);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('refuses every truncation', () => {
    const whole = 'a:3:{s:1:"a";a:1:{i:0;d:0.5;}s:1:"b";s:2:"ü";s:1:"c";N;}';
    for (let length = 1; length < whole.length; length++)
      expect(parsePhpSession(whole.slice(0, length), 'php_serialize')).toEqual({ refused: 'malformed' });
  });
});

it('wants a format that there is', () => {
  expect(() => parsePhpSession('', 'wddx' as never)).toThrow(/^format must be php, php_serialize or php_binary$/);
});
