// SPDX-License-Identifier: Apache-2.0
/** A function with signed sessions, a clock, and a browser. */
import { createSignedSessions, type SignedSessionsOptions } from '../../lambda/legacy/signed-cookie/signed-sessions';
import { NOW } from '../session/fixtures';
import { Browser } from './express-app';

type Data = { cart?: string[] };

export function signedWorld(options: Partial<SignedSessionsOptions> = {}) {
  const clock = { now: NOW };
  const signed = createSignedSessions<Data>({ keys: ['k1', 'k0'], now: () => clock.now, ...options });
  const browser = new Browser();
  return {
    clock,
    signed,
    browser,
    login: async (data?: Data) => browser.take(await signed.create({ user: 'alice', ...(data && { data }) })),
    read: (from = browser) => signed.read(from.cookieHeader),
  };
}
