// SPDX-License-Identifier: Apache-2.0
/** Whatever the library writes into an item, no key attribute of a table may be called so: one would overwrite the other. */
import { ConfigurationError, resolveSettings } from '../../../lambda/settings';
import { DAY_SECONDS, NOW } from '../fixtures';
import { type MovingIn, movingIn } from './moving-in';

const KEYS = ['PK', 'SK', 'expires_at'];

/** Every attribute that a call of the store names to write. */
function writtenBy({ calls }: MovingIn): string[] {
  return calls.log.flatMap(({ operation, arguments: [item, change] }) => {
    if (operation === 'put') return Object.keys(item as object);
    if (operation !== 'update') return [];
    const { set = {}, setIfAbsent = {} } = change as { set?: object; setIfAbsent?: object };
    return [...Object.keys(set), ...Object.keys(setIfAbsent)];
  });
}

async function moveInInEveryWay(): Promise<string[]> {
  const world = movingIn(
    { asSession: () => ({ data: {}, claims: { role: 'x' }, device: { label: 'd' } }) },
    { idleTimeoutSeconds: 600, epoch: '2' },
  );
  const { browser, request, clock, calls, sessions } = world;
  const visitor = browser('L', { csrfToken: 'c', isEndFinal: true, expiresAt: NOW + DAY_SECONDS });
  const slow = visitor.copy();
  await request(visitor, { handler: async (session) => void (await session.rotate()) });
  clock.advance(10);
  // Its cookie comes back just when another request has given up waiting for it.
  let isDone = false;
  calls.interceptor = {
    before: async ({ operation, arguments: [, change] }) => {
      if (isDone || operation !== 'update' || !('superseded_by' in ((change as { set?: object }).set ?? {}))) return;
      isDone = true;
      await request(visitor);
    },
  };
  await request(slow);
  calls.interceptor = {};
  const session = await sessions.read(visitor.cookieHeader);
  if (session === null) throw new Error('the session is gone');
  await sessions.withLock(session, async () => {});
  clock.advance(100);
  await request(visitor);
  await request(visitor, { handler: async (its) => void (await its.endOthers()) });
  await sessions.disable('alice');
  return writtenBy(world);
}

it('every attribute is refused as the name of a key', async () => {
  const names = [...new Set(await moveInInEveryWay())].filter((name) => !KEYS.includes(name));

  expect(names).toEqual(
    expect.arrayContaining(['max_end', 'came_back_at', 'supersedes', 'superseded_by', 'lock_owner']),
  );
  for (const name of names)
    expect(() => resolveSettings({ attributeNames: { expiresAt: name } })).toThrow(ConfigurationError);
});
