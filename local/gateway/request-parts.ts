// SPDX-License-Identifier: Apache-2.0
/** Parts of a request that the events of every kind of API show alike. */
import { randomBytes } from 'node:crypto';
import { type GatewayRequest, type HeaderList, headerValues } from './exchange';

/** Headers that API Gateway keeps for itself (Developer Guide, "Amazon API Gateway important notes"). */
const DROPPED_HEADERS = new Set(
  'connection content-length expect keep-alive max-forwards proxy-authenticate te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
);

/** The client's headers in their own casing, and those that API Gateway adds. */
export function forwardedHeaders(request: GatewayRequest): HeaderList {
  const forwardedFor = [...headerValues(request.headers, 'x-forwarded-for'), request.sourceIp].join(', ');
  const replaced = new Set(['x-forwarded-for', 'x-forwarded-port', 'x-forwarded-proto', 'x-amzn-trace-id']);
  const port = /:(\d+)$/.exec(hostOf(request))?.[1] ?? (request.scheme === 'https' ? '443' : '80');
  return [
    ...request.headers.filter(([name]) => {
      const lowerCaseName = name.toLowerCase();
      return !DROPPED_HEADERS.has(lowerCaseName) && !replaced.has(lowerCaseName);
    }),
    ['X-Amzn-Trace-Id', `Root=1-${randomBytes(4).toString('hex')}-${randomBytes(12).toString('hex')}`],
    ['X-Forwarded-For', forwardedFor],
    ['X-Forwarded-Port', port],
    ['X-Forwarded-Proto', request.scheme],
  ];
}

/** Host and port of the URL; on AWS there is no port, because it is always the scheme's own. */
export function hostOf(request: GatewayRequest): string {
  return headerValues(request.headers, 'host')[0] ?? 'localhost';
}

/** Such as `30/Nov/2026:17:11:00 +0000`. */
export function clfTime(timeMillis: number): string {
  const [, day, month, year, time] = new Date(timeMillis).toUTCString().split(' ');
  return `${day}/${month}/${year}:${time} +0000`;
}
