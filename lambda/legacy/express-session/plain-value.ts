// SPDX-License-Identifier: Apache-2.0
/** DynamoDB's attribute values as the document client would return them, for the types that JSON has. */

const MAX_DEPTH = 64;

/** `undefined` for sets, binary and anything that is no attribute value. */
export function plainValue(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return undefined;
  const [[type, content] = []] = Object.entries(value);
  switch (type) {
    case 'S':
    case 'BOOL':
      return content;
    case 'N':
      return Number(content);
    case 'NULL':
      return null;
    case 'L':
      return Array.isArray(content) ? content.map((entry) => plainValue(entry, depth + 1)) : undefined;
    case 'M':
      return plainRecord(content, depth + 1);
    default:
      return undefined;
  }
}

function plainRecord(content: unknown, depth: number): Record<string, unknown> | undefined {
  if (typeof content !== 'object' || content === null) return undefined;
  const entries = Object.entries(content).filter(([name]) => name !== '__proto__');
  return Object.fromEntries(entries.map(([name, value]) => [name, plainValue(value, depth)]));
}
