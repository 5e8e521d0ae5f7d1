// SPDX-License-Identifier: Apache-2.0
/** The interleavings that break an obvious lifecycle ("delete the item, query, delete"), played with the real library. */
import { AuthenticationSupersededError, SessionConflictError } from '../../lambda/session/errors';
import type { Sessions } from '../../lambda/session/sessions';
import { hashSessionToken } from '../../lambda/session/token';
import { type Cart, cookie, onCollection, onSession, onUser, Stage, USER } from '../interleavings/stage';
import { rotateWith, sessionOf, signedInTwice } from './two-devices';

const loginWith = () => async (sessions: Sessions<Cart>) => {
  const authentication = await sessions.beginAuthentication(USER);
  return sessions.create({ user: USER, authentication, data: { cart: [] } });
};

describe('interleavings that break the obvious lifecycle', () => {
  test('C1: a login over an anonymous session that began before log out everywhere does not survive it', async () => {
    const stage = new Stage();
    const anonymous = await stage.sessions.create({ data: { cart: ['book'] } });
    const login = stage.start(async (sessions) => {
      const authentication = await sessions.beginAuthentication(USER);
      const replaces = await sessions.read(cookie(anonymous.token));
      return sessions.create({ user: USER, authentication, data: { cart: [] }, replaces });
    });
    await login.until(onCollection('put'));

    await stage.sessions.revokeAll(USER);

    await expect(login.finish()).rejects.toThrow(AuthenticationSupersededError);
    expect(await stage.sessions.list(USER)).toEqual([]);
    expect(await stage.accepts(anonymous.token)).toBe(true);
  });

  test('C1: a login whose password was checked before log out everywhere does not survive it, wherever it stands', async () => {
    for (const reached of [onCollection('put'), onSession('put'), onUser('get')]) {
      const { stage } = await signedInTwice();
      const login = stage.start(loginWith());
      await login.step();
      await login.until(reached);

      await stage.sessions.revokeAll(USER);

      await expect(login.finish()).rejects.toThrow(AuthenticationSupersededError);
      expect(await stage.sessions.list(USER)).toEqual([]);
    }
  });

  test('C2: a rotation into the part of the collection that was already swept does not survive', async () => {
    const { stage, m } = await signedInTwice();
    const revokeAll = stage.start((sessions) => sessions.revokeAll(USER));
    const rotate = stage.start(rotateWith(m.token), 'first');
    await rotate.until(onCollection('put'));
    await revokeAll.until(onCollection('query'));
    await revokeAll.step();

    const rotated = await rotate.finish();

    await revokeAll.finish();
    expect(rotated).toBeNull();
    expect(await stage.accepts(m.token)).toBe(false);
    expect(await stage.sessions.list(USER)).toEqual([]);
  });

  test('C2: a rotation that passed its fence before the bump is found by the sweep', async () => {
    const { stage, m } = await signedInTwice();
    const rotate = stage.start(rotateWith(m.token), 'first');
    await rotate.until(onSession('update', m.session.id));
    const revokeAll = stage.start((sessions) => sessions.revokeAll(USER));
    await revokeAll.until(onCollection('query'));

    const rotated = await rotate.finish();

    await revokeAll.finish();
    expect(rotated).not.toBeNull();
    expect(await stage.accepts(rotated?.token ?? '')).toBe(false);
    expect(await stage.sessions.list(USER)).toEqual([]);
  });

  test('C3: revoking a session that is listed and not yet written leaves it listed', async () => {
    const { stage } = await signedInTwice();
    const before = stage.listed();
    const login = stage.start(loginWith());
    await login.until(onSession('put'));
    const [id] = stage.listed().filter((hash) => !before.includes(hash));

    expect(await stage.sessions.revoke(USER, id)).toBe(false);

    const { token } = await login.finish();
    expect(await stage.accepts(token)).toBe(true);
    expect(stage.listed()).toContain(hashSessionToken(token));
  });

  test('C4: a logout with the token from before a rotation ends what it was rotated to', async () => {
    const { stage, m } = await signedInTwice();
    const rotated = await stage.sessions.rotate(m.session);

    await stage.sessions.destroy(m.token);

    expect(await stage.accepts(rotated?.token ?? '')).toBe(false);
  });

  test('C5: revoking a device by the id it had before it was rotated signs it out', async () => {
    const { stage, m } = await signedInTwice();
    const rotated = await stage.sessions.rotate(m.session);

    expect(await stage.sessions.revoke(USER, m.session.id)).toBe(true);

    expect(await stage.accepts(rotated?.token ?? '')).toBe(false);
  });

  test('C5: revoking the session that a rotation is just making ends the one it is made from', async () => {
    const { stage, m } = await signedInTwice();
    const before = stage.listed();
    const rotate = stage.start(rotateWith(m.token));
    await rotate.until(onSession('update', m.session.id));
    const [id] = stage.listed().filter((hash) => !before.includes(hash));

    expect(await stage.sessions.revoke(USER, id)).toBe(true);

    expect(await rotate.finish()).toBeNull();
    expect(await stage.accepts(m.token)).toBe(false);
  });

  test('C6: of two devices that sign out all others at once, one succeeds and the other is out', async () => {
    const { stage, m, x } = await signedInTwice();
    const endOthersWith = (token: string) => async (sessions: Sessions<Cart>) =>
      sessions.revokeAll(USER, { except: await sessionOf(sessions, token) });
    const first = stage.start(endOthersWith(m.token));
    const second = stage.start(endOthersWith(x.token));
    await first.until(onUser('update'));
    await second.until(onUser('update'));

    const kept = await first.finish();

    expect(await second.finish()).toBeNull();
    expect(await stage.accepts(kept?.token ?? '')).toBe(true);
    expect(await stage.accepts(x.token)).toBe(false);
    expect(await stage.sessions.list(USER)).toHaveLength(1);
  });

  test('C6: the faster device stays although the slower one sweeps before it has its fresh token', async () => {
    const { stage, m, x } = await signedInTwice();
    const endOthersWith = (token: string) => async (sessions: Sessions<Cart>) =>
      sessions.revokeAll(USER, { except: await sessionOf(sessions, token) });
    const first = stage.start(endOthersWith(m.token));
    const second = stage.start(endOthersWith(x.token));
    await second.until(onUser('get'));
    await first.until(onUser('update'));
    await first.step();

    expect(await second.finish()).toBeNull();

    const kept = await first.finish();
    expect(await stage.accepts(kept?.token ?? '')).toBe(true);
    expect(await stage.accepts(x.token)).toBe(false);
    expect(await stage.sessions.list(USER)).toHaveLength(1);
  });

  test('C7: a save that is acknowledged while its session is rotated is carried over', async () => {
    const { stage, m } = await signedInTwice();
    const rotate = stage.start(rotateWith(m.token));
    await rotate.until(onSession('update', m.session.id));

    m.session.data.cart.push('book');
    await stage.sessions.save(m.session);

    const rotated = await rotate.finish();
    expect(rotated?.session.data).toEqual({ cart: ['book'] });
    expect((await sessionOf(stage.sessions, rotated?.token ?? '')).data).toEqual({ cart: ['book'] });
  });

  test('C8: a rotation whose last answer is lost recognises its own write', async () => {
    const { stage, m } = await signedInTwice();
    const rotate = stage.start(rotateWith(m.token));
    await rotate.until(onSession('update', m.session.id));
    await rotate.loseAnswer();

    const rotated = await rotate.finish();

    expect(await stage.accepts(rotated?.token ?? '')).toBe(true);
    expect(await stage.accepts(m.token)).toBe(false);
  });

  test('C9: a put that arrives after its session was ended does not bring it back', async () => {
    const { stage } = await signedInTwice();
    const login = stage.start(loginWith());
    await login.until(onSession('put'));
    const arrive = await login.delay();
    const { session, token } = await login.finish();
    await stage.sessions.revoke(USER, session.id);

    await arrive();

    expect(await stage.accepts(token)).toBe(false);
  });

  test('C10: a renewal formed while the session lived does not revive it after it expired', async () => {
    const { stage, m } = await signedInTwice();
    stage.now = m.session.expiresAt - 4;
    const renew = stage.start(async (sessions) => sessions.renew(await sessionOf(sessions, m.token)));
    await renew.until(onSession('update', m.session.id));
    const arrive = await renew.delay();
    await renew.until(onSession('update', m.session.id));
    stage.now = m.session.expiresAt;

    await arrive();

    expect(await stage.accepts(m.token)).toBe(false);
    expect(await renew.finish()).toBe('ended');
    expect(await stage.accepts(m.token)).toBe(false);
  });

  test('C11: a login from before a ban does not survive it, though the user is enabled again', async () => {
    const { stage } = await signedInTwice();
    const login = stage.start(loginWith());
    await login.until(onSession('put'));

    await stage.sessions.disable(USER);
    await stage.sessions.enable(USER);

    await expect(login.finish()).rejects.toThrow(AuthenticationSupersededError);
    expect(await stage.sessions.list(USER)).toEqual([]);
  });

  test('C12: an enable that arrives late does not undo a newer ban', async () => {
    const { stage } = await signedInTwice();
    await stage.sessions.disable(USER);
    const enable = stage.start((sessions) => sessions.enable(USER));
    await enable.until(onUser('update'));
    const arrive = await enable.delay();
    expect(await enable.finish()).toBe(true);
    await stage.sessions.disable(USER);

    await arrive();

    await expect(stage.sessions.create({ user: USER })).rejects.toMatchObject({ code: 'ERR_SESSION_USER_DISABLED' });
  });

  test('C13: a save that was written, unanswered and then wiped out by a logout is reported as unknown', async () => {
    const { stage, m } = await signedInTwice();
    const save = stage.start(async (sessions) => {
      const session = await sessionOf(sessions, m.token);
      session.data.cart.push('book');
      return sessions.save(session);
    });
    await save.until(onSession('update', m.session.id));
    await save.loseAnswer();

    await stage.sessions.destroy(m.token);

    const failure = await save.finish().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SessionConflictError);
    expect(failure).toMatchObject({ outcome: 'unknown' });
  });
});
