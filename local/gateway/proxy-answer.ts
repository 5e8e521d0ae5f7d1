// SPDX-License-Identifier: Apache-2.0
/** Reads what a function behind a proxy integration answered; what is not a response is a 502. */
import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { HeaderList } from './exchange';

export interface ProxyAnswer {
  readonly statusCode: number;
  readonly headers: HeaderList;
  readonly body: string;
}

/** API Gateway gives these another name, because they are its own (Developer Guide, "important notes"). */
const REMAPPED_HEADERS = new Set(['connection', 'content-length', 'date', 'server']);
const DROPPED_HEADERS = new Set(['transfer-encoding']);

/** Undefined where the answer is malformed (Developer Guide, "Output format of a Lambda function for proxy integration"). */
export function readProxyAnswer(result: unknown): ProxyAnswer | undefined {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return undefined;
  const { statusCode, headers, multiValueHeaders, body } = result as Record<string, unknown>;
  const status = typeof statusCode === 'string' ? Number(statusCode) : statusCode;
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 100 || status > 599) return undefined;
  if (body !== undefined && body !== null && typeof body !== 'string') return undefined;
  const single = readHeaders(headers, (value) => (isScalar(value) ? [String(value)] : undefined));
  const multiple = readHeaders(multiValueHeaders, (value) =>
    Array.isArray(value) && value.every(isScalar) ? value.map(String) : undefined,
  );
  if (single === undefined || multiple === undefined) return undefined;
  // A name that is in both stands only with the values of the list.
  const listed = new Set(multiple.map(([name]) => name.toLowerCase()));
  const all = [...single.filter(([name]) => !listed.has(name.toLowerCase())), ...multiple]
    .filter(([name]) => !DROPPED_HEADERS.has(name.toLowerCase()))
    .map(
      ([name, value]) => [REMAPPED_HEADERS.has(name.toLowerCase()) ? `x-amzn-Remapped-${name}` : name, value] as const,
    );
  const hasContentType = all.some(([name]) => name.toLowerCase() === 'content-type');
  return {
    statusCode: status,
    headers: hasContentType ? all : [['Content-Type', 'application/json'], ...all],
    body: body ?? '',
  };
}

function readHeaders(
  headers: unknown,
  read: (value: unknown) => readonly string[] | undefined,
): (readonly [string, string])[] | undefined {
  if (headers === undefined || headers === null) return [];
  if (typeof headers !== 'object' || Array.isArray(headers)) return undefined;
  const list: (readonly [string, string])[] = [];
  for (const [name, value] of Object.entries(headers)) {
    const values = value === null ? [] : read(value);
    if (values === undefined || !values.every((text) => isValidHeader(name, text))) return undefined;
    for (const text of values) list.push([name, text]);
  }
  return list;
}

function isValidHeader(name: string, value: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
