// SPDX-License-Identifier: Apache-2.0
/** The corpus's lines on cross-site requests, in both profiles, and on where a login may send a browser. */
import { checkRequestOrigin } from '../../lambda/session/origin';
import { safeRedirectPath } from '../../lambda/session/redirect';
import { corpusLines, titleOf } from './corpus';

describe.each([
  ['csrf-go', 'compatible'],
  ['csrf-strict', 'strict'],
] as const)('%s', (fn, profile) => {
  const lines = corpusLines('event', ({ input }) => input.fn === fn);
  it.each(lines.map((line) => [titleOf(line), line] as const))('%s', (_, line) => {
    const { method, headers, host, origin, trusted } = line.input;
    const decision = checkRequestOrigin({ method, headers }, { origins: [origin], trusted, host, profile });
    expect(decision.allowed ? 'allow' : 'deny').toBe(line.expect);
  });
});

describe('a redirect after login', () => {
  const lines = corpusLines('token', ({ input }) => input.fn === 'redirect');
  it.each(lines.map((line) => [titleOf(line).slice(0, 120), line] as const))('%s', (_, line) => {
    expect(safeRedirectPath(line.input.to) === null ? 'deny' : 'allow').toBe(line.expect);
  });
});
