// SPDX-License-Identifier: Apache-2.0
/** What a repair of those interleavings could break in its turn. */
import { onUser, Stage, USER } from '../interleavings/stage';
import { rotateWith, sessionOf, signedInTwice } from './two-devices';

describe('traps in the repairs', () => {
  test('a rotation that is undone leaves the session it came from alive', async () => {
    const { stage, m } = await signedInTwice();
    const rotate = stage.start(rotateWith(m.token));
    await rotate.until(onUser('get'));
    const other = await stage.sessions.rotate(m.session);

    expect(await rotate.finish()).toBeNull();

    expect(await stage.accepts(other?.token ?? '')).toBe(true);
  });

  test('the sweep of "sign out all others" does not follow the acting session to its successor', async () => {
    const { stage, m } = await signedInTwice();

    const kept = await stage.sessions.revokeAll(USER, { except: m.session });

    expect(await stage.accepts(kept?.token ?? '')).toBe(true);
    expect(await stage.accepts(m.token)).toBe(false);
  });

  test('a repeated "sign out all others" bumps again, and does not take an earlier bump for its own', async () => {
    const { stage, m, x } = await signedInTwice();
    const crashed = stage.start(async (sessions) =>
      sessions.revokeAll(USER, { except: await sessionOf(sessions, m.token) }),
    );
    await crashed.until(onUser('update'));
    await crashed.step();
    const login = await stage.sessions.create({ user: USER });

    const kept = await stage.sessions.revokeAll(USER, { except: m.session });

    expect(await stage.accepts(kept?.token ?? '')).toBe(true);
    for (const { token } of [login, x]) expect(await stage.accepts(token)).toBe(false);
  });

  test('a login over an anonymous session counts from the login, not from the first visit', async () => {
    const stage = new Stage();
    const anonymous = await stage.sessions.create({ data: { cart: [] } });
    stage.now += 100;

    const { session } = await stage.sessions.create({ user: USER, replaces: anonymous.session });

    expect(session.createdAt).toBe(stage.now);
  });
});
