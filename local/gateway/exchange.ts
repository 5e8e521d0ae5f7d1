// SPDX-License-Identifier: Apache-2.0
/** A request and its answer as the gateway sees them, free of sockets. */

/** Name and value of each header, in the order and the casing in which the client sent them. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

export interface GatewayRequest {
  readonly method: string;
  /** As sent: still percent-encoded, without the query. */
  readonly path: string;
  /** Without the question mark; empty where there is none. */
  readonly query: string;
  readonly headers: HeaderList;
  readonly body: Buffer;
  readonly sourceIp: string;
  readonly scheme: 'http' | 'https';
  /** `1.1` or `2.0`. */
  readonly httpVersion: string;
}

export interface GatewayAnswer {
  readonly statusCode: number;
  readonly headers: HeaderList;
  readonly body: string | Buffer;
}

export type GatewayHandler = (request: GatewayRequest) => Promise<GatewayAnswer>;

/** Values of a header, whatever its casing. */
export function headerValues(headers: HeaderList, name: string): readonly string[] {
  const lowerCaseName = name.toLowerCase();
  return headers.filter(([candidate]) => candidate.toLowerCase() === lowerCaseName).map(([, value]) => value);
}

/** Groups values by name, as the events' `multiValue…` objects have them. */
export function groupByName(pairs: Iterable<readonly [string, string]>): Record<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const [name, value] of pairs) {
    const values = groups.get(name);
    if (values === undefined) groups.set(name, [value]);
    else values.push(value);
  }
  return Object.fromEntries(groups);
}

/** Keeps the last value of each name, as the events' single-value objects do. */
export function lastByName(groups: Readonly<Record<string, readonly string[]>>): Record<string, string> {
  return Object.fromEntries(Object.entries(groups).map(([name, values]) => [name, values.at(-1) ?? '']));
}
