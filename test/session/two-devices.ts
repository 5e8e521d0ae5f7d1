// SPDX-License-Identifier: Apache-2.0
/** A user on two devices, and steps that interleavings begin with. */
import type { Sessions } from '../../lambda/session/sessions';
import { type Cart, cookie, Stage, USER } from '../interleavings/stage';

/** A user signed in on two devices. */
export async function signedInTwice() {
  const stage = new Stage();
  const data: Cart = { cart: [] };
  const m = await stage.sessions.create({ user: USER, data });
  const x = await stage.sessions.create({ user: USER, data });
  return { stage, m, x };
}

export async function sessionOf(sessions: Sessions<Cart>, token: string) {
  const session = await sessions.read(cookie(token));
  if (session === null) throw new Error('the session is over');
  return session;
}

export const rotateWith = (token: string) => async (sessions: Sessions<Cart>) =>
  sessions.rotate(await sessionOf(sessions, token));
