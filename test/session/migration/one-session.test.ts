// SPDX-License-Identifier: Apache-2.0
/** Requests that meet while a session moves in: one of ours lives in the end, and its cookie is with the browser. */
import type { RequestSession } from '../../../lambda/session/with-session';
import { type Data, movingIn } from './moving-in';
import { stepIn } from './step-in';

const rotate = async (session: RequestSession<Data>) => void (await session.rotate());

/** A fresh token came back, the old cookie alone is too late to be served by it. */
async function rotated() {
  const world = movingIn();
  const visitor = world.browser();
  const slow = visitor.copy();
  await world.request(visitor, { handler: rotate });
  world.clock.advance(11);
  return { ...world, visitor, slow };
}

it('two requests that both find it over get the same one in its place', async () => {
  const { browser, request, calls, clock, sessions } = movingIn({}, { idleTimeoutSeconds: 60 });
  const visitor = browser();
  await request(visitor, { loseAnswer: true });
  clock.advance(61);
  const other = visitor.copy();
  let first: readonly string[] = [];
  const isDone = stepIn(calls, { operation: 'update', key: 'SL#', sets: 'supersedes' }, async () => {
    first = (await request(other)).setCookies;
  });

  const second = await request(visitor);

  expect(isDone()).toBe(true);
  expect(first).toHaveLength(1);
  expect(second.setCookies).toEqual(first);
  for (const jar of [other, visitor]) expect((await request(jar)).user).toBe('alice');
  expect(await sessions.list('alice')).toHaveLength(1);
});

it('whoever logged in on the old session meanwhile is who both requests are served as', async () => {
  const { browser, request, calls, old, sessions } = movingIn();
  const visitor = browser('L', { user: 'alice' });
  const other = visitor.copy();
  const isDone = stepIn(calls, { operation: 'put', key: 'S#' }, async () => {
    old.login('L', { user: 'bob' });
    expect((await request(other)).user).toBe('bob');
  });

  const answer = await request(visitor);

  expect(isDone()).toBe(true);
  expect(answer.user).toBe('bob');
  expect(await sessions.list('alice')).toEqual([]);
  expect(await sessions.list('bob')).toHaveLength(1);
});

it('a request whose session has just made room for another goes on with that one', async () => {
  const { visitor, slow, request, calls, sessions } = await rotated();
  const before = visitor.cookies.get('__Host-session');
  const isDone = stepIn(calls, { operation: 'update', key: 'SL#' }, async () => {
    expect((await request(slow)).user).toBe('alice');
  });

  const answer = await request(visitor);

  expect(isDone()).toBe(true);
  expect(answer.user).toBe('alice');
  expect(visitor.cookies.get('__Host-session')).not.toBe(before);
  expect(visitor.cookies.get('__Host-session')).toBe(slow.cookies.get('__Host-session'));
  expect((await request(visitor)).user).toBe('alice');
  expect(await sessions.list('alice')).toHaveLength(1);
});

it('a function that stopped just when it had chosen another leaves one, not two', async () => {
  const { visitor, slow, request, calls, sessions } = await rotated();
  stepIn(calls, { operation: 'update', key: 'S#', sets: 'superseded_by' }, () => {
    throw new Error('the function stopped');
  });
  await expect(request(slow)).rejects.toThrow('the function stopped');

  expect((await request(slow)).user).toBe('alice');

  const live = await Promise.all(
    [visitor, slow].map(({ cookies }) => sessions.read(`__Host-session=${cookies.get('__Host-session')}`)),
  );
  expect(live.map((session) => session?.user)).toEqual([undefined, 'alice']);
  expect(await sessions.list('alice')).toHaveLength(1);
});

describe.each<[string, Parameters<RequestSession<Data>['rotate']>[0]]>([
  ['a step-up', { authenticated: true }],
  ['new claims', { claims: { role: 'admin' } }],
])('a fresh token with %s', (_, options) => {
  it('serves no request with the old cookie alone, which gets a session of its own', async () => {
    const { browser, request } = movingIn();
    const visitor = browser();
    const thief = visitor.copy();
    const ids: (string | undefined)[] = [];
    await request(visitor, {
      handler: async (session) => {
        await session.rotate(options);
        ids.push(session.session?.id);
      },
    });

    const answer = await request(thief, {
      handler: async ({ session }) => {
        ids.push(session?.id);
        expect(session?.claims).toEqual({});
      },
    });

    expect(answer).toMatchObject({ statusCode: 200, user: 'alice' });
    expect(answer.setCookies).toHaveLength(1);
    expect(new Set(ids).size).toBe(2);
  });
});
