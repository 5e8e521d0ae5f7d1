// SPDX-License-Identifier: Apache-2.0
/** The corpus's lines on signed cookies: native signed sessions and the cookies of express-session. */
import { unsignExpressCookie } from '../../lambda/legacy/express-session/unsign-express-cookie';
import { verifySignedCookie } from '../../lambda/legacy/signed-cookie/verify-signed-cookie';
import { ConfigurationError } from '../../lambda/settings';
import { corpusLines, NOW, titleOf, USER } from './corpus';

/** The corpus's words for what a function returned or threw. */
function outcomeOf(verify: () => unknown): string {
  try {
    return verify() === null ? 'deny' : 'allow';
  } catch (error) {
    if (error instanceof ConfigurationError) return 'error500';
    throw error;
  }
}

afterEach(() => {
  expect(Object.keys(Object.prototype)).toEqual([]);
});

describe('a signed session', () => {
  const lines = corpusLines('token', ({ input }) => input.fn === 'signed');
  it.each(lines.map((line) => [titleOf(line), line] as const))('%s', (_, line) => {
    const { name, value, sig: signature, keys, alg: algorithm } = line.input;
    const verify = () => verifySignedCookie({ name, value, signature, keys, algorithm, now: NOW });

    expect(outcomeOf(verify)).toBe(line.expect);
    if (line.expect === 'allow') expect(verify()).toMatchObject({ user: USER });
  });
});

describe('a cookie of express-session', () => {
  const lines = corpusLines('token', ({ input }) => input.fn === 'express');
  it.each(lines.map((line) => [titleOf(line), line] as const))('%s', (_, line) => {
    const verify = () => unsignExpressCookie(line.input.value, line.input.secrets);

    expect(outcomeOf(verify)).toBe(line.expect);
    if (line.expect === 'allow') expect(verify()).toMatch(/^[A-Za-z0-9_-]{32}$/);
  });
});
