// SPDX-License-Identifier: Apache-2.0
/** Tokens drawn before their session. */
import { InvalidInputError } from '../../lambda/session/errors';
import { hashSessionToken } from '../../lambda/session/token';
import { fixture } from './fixtures';

test('a prepared token becomes that of the session, and answers to nothing before', async () => {
  const { sessions, store, cookie } = fixture();
  const prepared = sessions.prepareToken();
  expect(await sessions.read(cookie(prepared.token))).toBeNull();
  expect(store.items()).toEqual([]);

  const { session, token } = await sessions.create({ user: 'alice', token: prepared });

  expect(token).toBe(prepared.token);
  expect(session.id).toBe(hashSessionToken(prepared.token));
});

test('serves one create', async () => {
  const { sessions } = fixture();
  const token = sessions.prepareToken();
  await sessions.create({ token });

  await expect(sessions.create({ token })).rejects.toThrow(/prepareToken/);
});

test('is still good after input that was refused before anything was written', async () => {
  const { sessions } = fixture();
  const token = sessions.prepareToken();
  await expect(sessions.create({ user: 'not a user', token })).rejects.toThrow(InvalidInputError);

  await expect(sessions.create({ user: 'alice', token })).resolves.toMatchObject({ token: token.token });
});

test('cannot be made by hand, nor copied', async () => {
  const { sessions, store } = fixture();
  const token = sessions.prepareToken();

  await expect(sessions.create({ token: { ...token } })).rejects.toThrow(/prepareToken/);
  await expect(sessions.create({ token: token.token as never })).rejects.toThrow(/prepareToken/);
  expect(store.items()).toEqual([]);
});
