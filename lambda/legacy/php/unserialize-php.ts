// SPDX-License-Identifier: Apache-2.0
/**
 * Reads PHP's serialize() format: plain values and arrays, nothing else. Objects are refused and never made, which is what
 * makes reading other people's data safe (OWASP, "Deserialization of untrusted data").
 *
 *     value  = "N;" / "b:" ("0" / "1") ";" / "i:" integer ";" / "d:" float ";"
 *            / "s:" length ":" DQUOTE *OCTET DQUOTE ";"            length in octets, content as it stands
 *            / "a:" count ":{" *(key value) "}"                   key = an "i" or "s" value
 *
 * Stricter than PHP where PHP's own writer never goes: no plus signs, no leading zeros, no key twice.
 */
import { isInt64, MAX_PHP_BYTES, MAX_PHP_DEPTH, type PhpRecord, type PhpValue } from './php-value';

export type PhpDataRefusal =
  | 'malformed'
  | 'object'
  | 'reference'
  | 'duplicateKey'
  | 'unsafeKey'
  | 'tooDeep'
  | 'tooLarge'
  | 'trailingBytes';

/** Carries a refusal out of the recursion; caught where reading began. */
export class PhpDataRefused extends Error {
  constructor(readonly reason: PhpDataRefusal) {
    super(`serialized PHP refused: ${reason}`);
  }
}

const BOOLEAN = /b:([01]);/y;
const INTEGER = /i:(0|-?[1-9][0-9]{0,18});/y;
const FLOAT = /d:(-?[0-9]{1,100}(?:\.[0-9]{1,100})?(?:E[+-]?[0-9]{1,3})?|-?INF|NAN);/y;
const STRING = /s:(0|[1-9][0-9]{0,8}):"/y;
const ARRAY = /a:(0|[1-9][0-9]{0,8}):\{/y;

/** `i:0;N;`: no entry of an array is shorter, so a larger count is a lie. */
const SHORTEST_ENTRY_BYTES = 6;

export class PhpUnserializer {
  readonly #bytes: Uint8Array;
  /** One character per byte, so that positions in both are the same. */
  readonly #octets: string;
  #position = 0;

  /** @throws PhpDataRefused */
  constructor(bytes: Uint8Array) {
    if (bytes.length > MAX_PHP_BYTES) throw new PhpDataRefused('tooLarge');
    this.#bytes = bytes;
    this.#octets = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  }

  get isAtEnd(): boolean {
    return this.#position === this.#bytes.length;
  }

  /** The next byte, consumed. */
  byte(): number {
    const byte = this.#bytes[this.#position++];
    if (byte === undefined) throw new PhpDataRefused('malformed');
    return byte;
  }

  /** Text up to a delimiter, which is consumed too. */
  textUntil(delimiter: string): string {
    const end = this.#octets.indexOf(delimiter, this.#position);
    if (end === -1) throw new PhpDataRefused('malformed');
    const text = this.text(end - this.#position);
    this.#position++;
    return text;
  }

  /** So many bytes of UTF-8. */
  text(length: number): string {
    const end = this.#position + length;
    if (end > this.#bytes.length) throw new PhpDataRefused('malformed');
    const text = decode(this.#bytes.subarray(this.#position, end));
    this.#position = end;
    return text;
  }

  value(depth: number): PhpValue {
    switch (this.#octets[this.#position]) {
      case 'N':
        this.#skip('N;');
        return null;
      case 'b':
        return this.#match(BOOLEAN) === '1';
      case 'i':
        return this.#integer();
      case 'd':
        return floatOf(this.#match(FLOAT));
      case 's':
        return this.#string();
      case 'a':
        return this.#array(depth);
      case 'O':
      case 'C':
      case 'E':
        throw new PhpDataRefused('object');
      case 'R':
      case 'r':
        throw new PhpDataRefused('reference');
      default:
        throw new PhpDataRefused('malformed');
    }
  }

  #integer(): number | bigint {
    const digits = this.#match(INTEGER);
    const value = Number(digits);
    if (Number.isSafeInteger(value)) return value;
    const exact = BigInt(digits);
    if (!isInt64(exact)) throw new PhpDataRefused('malformed');
    return exact;
  }

  #string(): string {
    const text = this.text(Number(this.#match(STRING)));
    this.#skip('";');
    return text;
  }

  #array(depth: number): PhpValue[] | PhpRecord {
    if (depth > MAX_PHP_DEPTH) throw new PhpDataRefused('tooDeep');
    const count = Number(this.#match(ARRAY));
    if (count * SHORTEST_ENTRY_BYTES > this.#bytes.length - this.#position) throw new PhpDataRefused('malformed');
    const record = emptyRecord();
    const values: PhpValue[] = [];
    let isList = true;
    for (let index = 0; index < count; index++) {
      const key = this.#key();
      const value = this.value(depth + 1);
      setOnce(record, String(key), value);
      isList &&= key === index;
      values.push(value);
    }
    this.#skip('}');
    return isList ? values : record;
  }

  #key(): number | bigint | string {
    switch (this.#octets[this.#position]) {
      case 'i':
        return this.#integer();
      case 's':
        return this.#string();
      default:
        throw new PhpDataRefused('malformed');
    }
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#position;
    const match = pattern.exec(this.#octets);
    if (match?.[1] === undefined) throw new PhpDataRefused('malformed');
    this.#position = pattern.lastIndex;
    return match[1];
  }

  #skip(expected: string): void {
    if (!this.#octets.startsWith(expected, this.#position)) throw new PhpDataRefused('malformed');
    this.#position += expected.length;
  }
}

export function emptyRecord(): PhpRecord {
  return Object.create(null) as PhpRecord;
}

export function setOnce(record: PhpRecord, name: string, value: PhpValue): void {
  // Harmless here, but a later merge into another object would set its prototype.
  if (name === '__proto__') throw new PhpDataRefused('unsafeKey');
  // PHP takes the last of two; which one a writer of such data meant cannot be known.
  if (Object.hasOwn(record, name)) throw new PhpDataRefused('duplicateKey');
  record[name] = value;
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    // Binary content, or a length that cuts a character in two: neither can be carried over.
    throw new PhpDataRefused('malformed');
  }
}

function floatOf(text: string): number {
  if (text === 'NAN') return Number.NaN;
  return text.endsWith('INF') ? Number(text.replace('INF', 'Infinity')) : Number(text);
}
