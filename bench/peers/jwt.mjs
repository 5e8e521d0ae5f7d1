// SPDX-License-Identifier: Apache-2.0
/** aws-jwt-verify: an RS256 token in a cookie, keys at hand, no table at all, and no way to end one. */
import { JwtVerifier } from 'aws-jwt-verify';
import { cookieOf, policy } from './common.mjs';

const verifier = JwtVerifier.create({
  issuer: 'https://issuer.example',
  audience: 'bench',
  jwksUri: 'https://issuer.example/jwks.json',
});
verifier.cacheJwks(JSON.parse(process.env.BENCH_JWKS));

export async function handler(event) {
  const { sub } = await verifier.verify(cookieOf(event, 'jwt'));
  return policy(event, sub);
}
