// SPDX-License-Identifier: Apache-2.0
/** Writing serialized PHP, and reading it back. */
import fc from 'fast-check';
import { parsePhpSession } from '../../../lambda/legacy/php/parse-php-session';
import type { PhpSessionFormat } from '../../../lambda/legacy/php/php-value';
import { serializePhpSession } from '../../../lambda/legacy/php/serialize-php-session';
import { InvalidInputError } from '../../../lambda/session/errors';
import { phpSession } from './php-values';

const FORMATS: PhpSessionFormat[] = ['php', 'php_serialize', 'php_binary'];

describe('what is written', () => {
  it.each([
    [{}, 'php', ''],
    [{}, 'php_serialize', ''],
    [{}, 'php_binary', ''],
    [{ a: 1, b: undefined }, 'php', 'a|i:1;'],
    [{ a: 'ü', b: [true, null] }, 'php', 'a|s:2:"ü";b|a:2:{i:0;b:1;i:1;N;}'],
    [{ a: { 5: 1, x: 0.5, y: undefined } }, 'php', 'a|a:2:{i:5;i:1;s:1:"x";d:0.5;}'],
    [{ a: 2n ** 63n - 1n, b: 1e300, c: -0 }, 'php', 'a|i:9223372036854775807;b|d:1E+300;c|d:-0;'],
    [{ a: NaN, b: Infinity, c: -Infinity }, 'php', 'a|d:NAN;b|d:INF;c|d:-INF;'],
    [{ a: { '9223372036854775808': 1, '01': 1 } }, 'php', 'a|a:2:{s:19:"9223372036854775808";i:1;s:2:"01";i:1;}'],
    [{ foo: 1234567890 }, 'php_binary', '\x03fooi:1234567890;'],
    [{ a: 1 }, 'php_serialize', 'a:1:{s:1:"a";i:1;}'],
  ] as const)('%j in %s', (data, format, expected) => {
    expect(serializePhpSession(data, format)).toBe(expected);
  });
});

describe('what PHP cannot hold is an error that names it', () => {
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  it.each([
    [{ 'a|b': 1 }, 'php', /must not contain \| or begin with !/],
    [{ '!a': 1 }, 'php', /begin with !/],
    [{ 5: 1 }, 'php', /whole number/],
    [{ '': 1 }, 'php_binary', /must not be empty/],
    [{ ['é'.repeat(64)]: 1 }, 'php_binary', /at most 127 bytes/],
    [{ a: '\u{d800}' }, 'php', /data\.a must be well-formed Unicode/],
    [{ a: { '\u{d800}': 1 } }, 'php', /well-formed/],
    [{ '\u{d800}': 1 }, 'php', /well-formed/],
    [{ a: new Date(0) }, 'php', /data\.a must be a plain value, array or object, got Date/],
    [{ a: [() => 1] }, 'php', /data\.a\.0 must be .* got function/],
    [{ a: 2n ** 63n }, 'php', /64 bits/],
    [circular, 'php_serialize', /nest deeper than 64/],
  ] as const)('%#: %s', (data, format, message) => {
    expect(() => serializePhpSession(data, format)).toThrow(InvalidInputError);
    expect(() => serializePhpSession(data, format)).toThrow(message);
  });
});

describe.each(FORMATS)('random sessions in %s', (format) => {
  it('are read back as they were written', () => {
    fc.assert(
      fc.property(phpSession, (session) => {
        const outcome = parsePhpSession(serializePhpSession(session, format), format);
        expect('data' in outcome && structuredClone(outcome.data)).toEqual(structuredClone({ ...session }));
      }),
      { numRuns: 500 },
    );
  });
});
