// SPDX-License-Identifier: Apache-2.0
/** Old sessions that are kept for pages of the older system, once they have moved in. */
import { movingIn } from './moving-in';

const kept = () => movingIn({ oldSessions: 'keep' });

it('the old session and its cookie stay once the new cookie has come back', async () => {
  const { browser, request, old, reports } = kept();
  const visitor = browser();
  await request(visitor);

  expect(await request(visitor)).toMatchObject({ user: 'alice', setCookies: [] });

  expect([...visitor.cookies.keys()]).toEqual(['old', '__Host-session']);
  expect(old.ends).toEqual([]);
  expect(reports.map(({ kind }) => kind)).toEqual(['movedIn', 'confirmed']);
});

it('the old cookie mints nothing any more, and is left to the older system', async () => {
  const { browser, request, clock } = kept();
  const visitor = browser();
  const thief = visitor.copy();
  await request(visitor);
  await request(visitor);
  clock.advance(60);

  expect(await request(thief)).toMatchObject({ user: null, setCookies: [] });
});

it.each<[string, Parameters<ReturnType<typeof movingIn>['request']>[1], readonly string[]]>([
  ['logout', { handler: (session) => session.end() }, []],
  ['login', { handler: (session) => session.start({ user: 'bob' }) }, ['__Host-session']],
])('a %s ends both', async (_, options, cookies) => {
  const { browser, request, old } = kept();
  const visitor = browser();
  await request(visitor);
  await request(visitor);

  await request(visitor, options);

  expect([...visitor.cookies.keys()]).toEqual(cookies);
  expect(old.ends).toEqual(['L']);
});

it('by default they are ended', async () => {
  const { browser, request, old } = movingIn();
  const visitor = browser();
  await request(visitor);
  await request(visitor);

  expect([...visitor.cookies.keys()]).toEqual(['__Host-session']);
  expect(old.ends).toEqual(['L']);
});

it("'sometimes' is refused", () => {
  expect(() => movingIn({ oldSessions: 'sometimes' as never })).toThrow('legacy.oldSessions must be end or keep');
});
