// SPDX-License-Identifier: Apache-2.0
/** Reads the session data that PHP wrote, in any of its three formats. Total: any input gives the data or a reason. */
import { ConfigurationError } from '../../settings';
import { MAX_PHP_BYTES, type PhpRecord, type PhpSessionFormat } from './php-value';
import { emptyRecord, type PhpDataRefusal, PhpDataRefused, PhpUnserializer, setOnce } from './unserialize-php';

/** In php_binary, a length byte with this bit marks a name without a value. */
const UNDEFINED_BIT = 0x80;

const READERS: Readonly<Record<PhpSessionFormat, (source: PhpUnserializer) => PhpRecord>> = {
  php: readNamed((source) => {
    const name = source.textUntil('|');
    // Written by old versions of PHP for a name without a value; what follows cannot be told from a value.
    if (name.startsWith('!')) throw new PhpDataRefused('malformed');
    return name;
  }),
  php_binary: readNamed((source) => {
    const length = source.byte();
    if ((length & UNDEFINED_BIT) !== 0) throw new PhpDataRefused('malformed');
    return source.text(length);
  }),
  php_serialize(source) {
    if (source.isAtEnd) return emptyRecord();
    const value = source.value(0);
    if (!source.isAtEnd) throw new PhpDataRefused('trailingBytes');
    if (typeof value !== 'object' || value === null) throw new PhpDataRefused('malformed');
    return Array.isArray(value) ? Object.assign(emptyRecord(), value) : value;
  },
};

/**
 * The session as a record without a prototype; `{}` for an empty one. Objects, enums, references, lengths that lie,
 * trailing bytes, a name twice, nesting beyond 64 and more than 409,600 bytes are refused.
 * @param data text as it stands in a string attribute, or bytes; lengths inside count bytes of UTF-8
 * @param format the application's `session.serialize_handler`; default `php`, which is PHP's own
 * @throws ConfigurationError for a format that is none
 */
export function parsePhpSession(
  data: unknown,
  format: PhpSessionFormat = 'php',
): { readonly data: PhpRecord } | { readonly refused: PhpDataRefusal } {
  if (!isPhpSessionFormat(format)) throw new ConfigurationError('format must be php, php_serialize or php_binary');
  try {
    return { data: READERS[format](new PhpUnserializer(bytesOf(data))) };
  } catch (refusal) {
    if (refusal instanceof PhpDataRefused) return { refused: refusal.reason };
    throw refusal;
  }
}

export function isPhpSessionFormat(value: unknown): value is PhpSessionFormat {
  return typeof value === 'string' && Object.hasOwn(READERS, value);
}

function bytesOf(data: unknown): Uint8Array {
  if (data instanceof Uint8Array) return data;
  // A lone surrogate has no bytes, and each character has at least one.
  if (typeof data !== 'string' || !data.isWellFormed()) throw new PhpDataRefused('malformed');
  if (data.length > MAX_PHP_BYTES) throw new PhpDataRefused('tooLarge');
  return Buffer.from(data);
}

function readNamed(readName: (source: PhpUnserializer) => string): (source: PhpUnserializer) => PhpRecord {
  return (source) => {
    const record = emptyRecord();
    while (!source.isAtEnd) setOnce(record, readName(source), source.value(0));
    return record;
  };
}
