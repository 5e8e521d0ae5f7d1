// SPDX-License-Identifier: Apache-2.0
/** iron-session: the session in a sealed cookie, no table at all, and no way to end one. */
import { unsealData } from 'iron-session';
import { cookieOf, policy } from './common.mjs';

export async function handler(event) {
  const { user } = await unsealData(decodeURIComponent(cookieOf(event, 'iron')), {
    password: process.env.BENCH_SECRET,
  });
  if (user === undefined) throw new Error('Unauthorized');
  return policy(event, user);
}
