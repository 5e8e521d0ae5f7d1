// SPDX-License-Identifier: Apache-2.0
/** PHP data as a session of this library can hold it. */
import type { PhpValue } from './php-value';

/** A copy in JSON: numbers beyond 2^53 become decimal text, which keeps every digit; INF and NAN become null, as in JSON. */
export function jsonFromPhp(value: PhpValue): unknown {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(jsonFromPhp);
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, jsonFromPhp(entry)]));
}
