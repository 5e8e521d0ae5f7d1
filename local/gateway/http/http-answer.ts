// SPDX-License-Identifier: Apache-2.0
/** Turns what a function behind an HTTP API answered into a response. */
import type { GatewayAnswer } from '../exchange';
import { type ProxyAnswer, readProxyAnswer } from '../proxy-answer';
import type { PayloadVersion } from './http-api';

/** Undefined where the answer is malformed: then the API answers 500. */
export function readHttpAnswer(result: unknown, version: PayloadVersion): GatewayAnswer | undefined {
  if (version === '1.0') return decoded(readProxyAnswer(result), result);
  const isResponse = typeof result === 'object' && result !== null && 'statusCode' in result;
  // Payload 2.0: anything else that is JSON is the body of a 200.
  if (!isResponse)
    return {
      statusCode: 200,
      headers: [['Content-Type', 'application/json']],
      body: typeof result === 'string' ? result : JSON.stringify(result),
    };
  const { cookies = [], multiValueHeaders: _, ...response } = result as Record<string, unknown>;
  if (!Array.isArray(cookies) || !cookies.every((cookie) => typeof cookie === 'string')) return undefined;
  return decoded(readProxyAnswer({ ...response, multiValueHeaders: { 'Set-Cookie': cookies } }), result);
}

function decoded(answer: ProxyAnswer | undefined, result: unknown): GatewayAnswer | undefined {
  const isBase64Encoded = (result as { isBase64Encoded?: unknown } | null)?.isBase64Encoded === true;
  return answer === undefined || !isBase64Encoded ? answer : { ...answer, body: Buffer.from(answer.body, 'base64') };
}
