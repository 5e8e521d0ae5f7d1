// SPDX-License-Identifier: Apache-2.0
/** Keys of signed sessions are rotated without logging anyone out, in the order that the documents tell. */
import { createSecrets } from '../../lambda/legacy/create-secrets';
import { createSignedSessions } from '../../lambda/legacy/signed-cookie/signed-sessions';
import { NOW } from '../session/fixtures';
import { Browser } from './express-app';
import { signedWorld } from './signed-world';

it('an older key still verifies, and the session says that it is due for the first one', async () => {
  const keys = { current: ['k0'] };
  const load = async () => keys.current;
  let nowMillis = 0;
  const { signed, browser, login, read } = signedWorld({
    keys: createSecrets({ load, refreshSeconds: 300, nowMillis: () => nowMillis }),
  });
  await login();

  keys.current = ['k1', 'k0'];
  nowMillis = 300_000;
  const session = await read();
  if (session === null) throw new Error('the session is there');

  expect(session.isDueForWriting).toBe(true);
  browser.take(await signed.write(session));
  expect(await read()).toMatchObject({ user: 'alice', isDueForWriting: false });

  keys.current = ['k1'];
  nowMillis = 600_000;
  expect(await read()).toMatchObject({ user: 'alice' });
});

/** Whether a session that the function with the one keys signs is one for the function with the other keys. */
async function isAccepted(signing: readonly string[], verifying: readonly string[]): Promise<boolean> {
  const browser = new Browser();
  browser.take(await createSignedSessions({ keys: signing, now: () => NOW }).create({ user: 'alice' }));
  return (await createSignedSessions({ keys: verifying, now: () => NOW }).read(browser.cookieHeader)) !== null;
}

describe('while one function has refreshed its keys and another has not yet', () => {
  it.each([
    ['a new key is appended', ['old'], ['old', 'new']],
    ['it is moved to the front', ['old', 'new'], ['new', 'old']],
    ['the old one is dropped', ['new', 'old'], ['new']],
  ])('each accepts what the other signs: %s', async (_, before, after) => {
    expect(await isAccepted(after, before)).toBe(true);
    expect(await isAccepted(before, after)).toBe(true);
  });

  it.each([
    ['a new key put first at once', ['old'], ['new', 'old']],
    ['a new key instead of the old one', ['old'], ['new']],
  ])('sessions of the first are none for the second: %s', async (_, before, after) => {
    expect(await isAccepted(after, before)).toBe(false);
  });
});
