// SPDX-License-Identifier: Apache-2.0
/** The request that the authorizer makes up to walk its own path while it starts; its session cannot exist. */
import { hashSessionToken } from '../session/token';

/** Well formed, and never issued: 256 random bits that are all zero. */
const WARM_UP_TOKEN = 'A'.repeat(43);

/** By this hash the one read of a start can be told from those of requests. */
export const WARM_UP_TOKEN_HASH = /* @__PURE__ */ hashSessionToken(WARM_UP_TOKEN);

export function warmUpEvent(cookieName: string): object {
  return {
    type: 'REQUEST',
    methodArn: 'arn:aws:execute-api:us-east-1:000000000000:0/0/GET/',
    httpMethod: 'GET',
    headers: { Cookie: `${cookieName}=${WARM_UP_TOKEN}` },
  };
}
