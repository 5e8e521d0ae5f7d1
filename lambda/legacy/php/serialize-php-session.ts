// SPDX-License-Identifier: Apache-2.0
/** Writes session data as PHP reads it. */
import { InvalidInputError } from '../../session/errors';
import { isInt64, isIntegerKey, MAX_PHP_DEPTH, type PhpSessionFormat } from './php-value';

const MAX_BINARY_NAME_BYTES = 127;

const WRITERS: Readonly<Record<PhpSessionFormat, (data: object) => string>> = {
  php: namedValues((name) => {
    if (name.includes('|') || name.startsWith('!'))
      throw new InvalidInputError('a name in the data must not contain | or begin with !');
    return `${name}|`;
  }),
  php_binary: namedValues((name) => {
    const length = Buffer.byteLength(name);
    if (length > MAX_BINARY_NAME_BYTES)
      throw new InvalidInputError(`a name in the data must be at most ${MAX_BINARY_NAME_BYTES} bytes in php_binary`);
    return String.fromCharCode(length) + name;
  }),
  php_serialize: (data) => (Object.keys(data).length === 0 ? '' : serializePhpValue(data, 'data', 0)),
};

/**
 * The data as PHP's session_decode() takes it; empty data gives the empty string, for which PHP's handler stores no
 * attribute. Properties that are undefined are left out, as in JSON.
 * @throws InvalidInputError naming what PHP cannot hold: functions, objects of a class, lone surrogates, names that the
 *   format has no room for
 */
export function serializePhpSession(data: object, format: PhpSessionFormat = 'php'): string {
  return WRITERS[format](data);
}

function namedValues(writeName: (name: string) => string): (data: object) => string {
  return (data) =>
    Object.entries(data)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => {
        // PHP leaves whole numbers out without an error.
        if (name === '' || isIntegerKey(name))
          throw new InvalidInputError('a name in the data must not be empty or a whole number');
        requireText(name, 'a name in the data');
        return writeName(name) + serializePhpValue(value, `data.${name}`, 0);
      })
      .join('');
}

function serializePhpValue(value: unknown, path: string, depth: number): string {
  switch (typeof value) {
    case 'boolean':
      return value ? 'b:1;' : 'b:0;';
    case 'number':
      return serializeNumber(value);
    case 'bigint':
      if (!isInt64(value)) throw new InvalidInputError(`${path} must fit into 64 bits`);
      return `i:${value};`;
    case 'string':
      return serializeString(value, path);
    case 'object':
      return value === null ? 'N;' : serializeArray(value, path, depth);
    default:
      throw new InvalidInputError(`${path} must be a plain value, array or object, got ${typeof value}`);
  }
}

function serializeNumber(value: number): string {
  if (Number.isNaN(value)) return 'd:NAN;';
  if (!Number.isFinite(value)) return value > 0 ? 'd:INF;' : 'd:-INF;';
  if (Object.is(value, -0)) return 'd:-0;';
  return Number.isSafeInteger(value) ? `i:${value};` : `d:${String(value).toUpperCase()};`;
}

function serializeString(value: string, path: string): string {
  requireText(value, path);
  return `s:${Buffer.byteLength(value)}:"${value}";`;
}

function serializeArray(value: object, path: string, depth: number): string {
  if (depth > MAX_PHP_DEPTH)
    throw new InvalidInputError(`data must not nest deeper than ${MAX_PHP_DEPTH} levels, or hold itself`);
  const isList = Array.isArray(value);
  if (!isList && !isRecord(value))
    throw new InvalidInputError(`${path} must be a plain value, array or object, got ${value.constructor?.name}`);
  const entries = isList ? [...value.entries()] : Object.entries(value);
  const written = entries
    .filter(([, entry]) => isList || entry !== undefined)
    .map(([key, entry]) => {
      const name = String(key);
      const keyText = isIntegerKey(name) ? `i:${name};` : serializeString(name, path);
      return keyText + serializePhpValue(entry ?? null, `${path}.${name}`, depth + 1);
    });
  return `a:${written.length}:{${written.join('')}}`;
}

function isRecord(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

function requireText(value: string, path: string): void {
  if (!value.isWellFormed()) throw new InvalidInputError(`${path} must be well-formed Unicode`);
}
