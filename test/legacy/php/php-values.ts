// SPDX-License-Identifier: Apache-2.0
/** Random values that PHP and JavaScript both hold without loss. */
import fc from 'fast-check';
import type { PhpRecord, PhpValue } from '../../../lambda/legacy/php/php-value';

/** Text with everything that could trip a reader of lengths and delimiters. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('"', ';', '|', ':', '{', '}', '\0', '\\', 'é', '😀', '1', 's') }),
);

/** Whole floats come back as whole numbers, so only those with a fraction are drawn. */
const float = fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Number.isInteger(value));

const scalar = fc.oneof<fc.Arbitrary<PhpValue>[]>(
  fc.constantFrom<PhpValue>(null, true, false, 0, -1),
  fc.maxSafeInteger(),
  float,
  text,
);

const key = text.filter((name) => name !== '__proto__');

/** A record that is a list is written like one, and an empty one cannot be told from an empty list. */
const isPlainRecord = (record: object) => Object.keys(record).some((name, index) => name !== String(index));

export const phpValue: fc.Arbitrary<PhpValue> = fc.letrec<{ value: PhpValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(key, tie('value'), { maxKeys: 5 }).filter(isPlainRecord),
  ),
})).value;

/** Names that every format has room for. */
const sessionName = text.filter(
  (name) => name !== '' && name !== '__proto__' && !/^!|\||^-?[0-9]+$/.test(name) && Buffer.byteLength(name) <= 127,
);

export const phpSession: fc.Arbitrary<PhpRecord> = fc.dictionary(sessionName, phpValue, { maxKeys: 6 });
