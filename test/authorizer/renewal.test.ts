// SPDX-License-Identifier: Apache-2.0
/** With an idle timeout the authorizer slides it: once per interval, never beyond the absolute end, and never at any price. */
import { SessionStoreError } from '../../lambda/session/errors';
import { ALLOW, authorizerOver, NOW, restEvent, sessionItem } from './set-up';

const IDLE = { idleTimeoutSeconds: 1000, absoluteTimeoutSeconds: 100_000 };

function idleItem(ages: { renewed?: number; issued?: number; created?: number; left: number }): unknown {
  const { issued = 5000, created = issued, renewed, left } = ages;
  return sessionItem({
    created_at: { N: String(NOW - created) },
    issued_at: { N: String(NOW - issued) },
    ...(renewed === undefined ? {} : { renewed_at: { N: String(NOW - renewed) } }),
    expires_at: { N: String(NOW + left) },
  });
}

it.each<[string, unknown, object | undefined]>([
  ['before the interval is over', idleItem({ renewed: 99, left: 901 }), undefined],
  [
    'when the interval is over',
    idleItem({ renewed: 100, left: 900 }),
    { expiresAt: NOW + 1000, renewedAt: NOW, previousRenewedAt: NOW - 100 },
  ],
  ['a tenth after the login', idleItem({ issued: 100, left: 900 }), { expiresAt: NOW + 1000, renewedAt: NOW }],
  ['sooner after the login', idleItem({ issued: 99, left: 901 }), undefined],
  ['after a rotation, counted from it', idleItem({ created: 5000, issued: 50, left: 950 }), undefined],
  [
    'close to the absolute end, up to it',
    idleItem({ created: 99_500, issued: 99_500, renewed: 700, left: 300 }),
    { expiresAt: NOW + 500, renewedAt: NOW, previousRenewedAt: NOW - 700 },
  ],
  ['at the absolute end already', idleItem({ created: 99_500, issued: 99_500, renewed: 700, left: 500 }), undefined],
  ['longer-lived than the settings now allow', idleItem({ renewed: 700, left: 3000 }), undefined],
  [
    'with 6 seconds left',
    idleItem({ renewed: 994, left: 6 }),
    { expiresAt: NOW + 1000, renewedAt: NOW, previousRenewedAt: NOW - 994 },
  ],
  ['with 5 seconds left: the write could land after the end', idleItem({ renewed: 995, left: 5 }), undefined],
])('a session is renewed or left alone: %s', async (_, item, renewal) => {
  const { authorize, calls } = authorizerOver({ item }, IDLE);

  expect(await authorize(restEvent())).toMatchObject(ALLOW);
  expect(calls.renewals).toEqual(renewal === undefined ? [] : [renewal]);
});

it('tells handlers the new end', async () => {
  const { authorize } = authorizerOver({ item: idleItem({ renewed: 500, left: 500 }) }, IDLE);

  expect(await authorize(restEvent())).toMatchObject({ context: { expiresAt: String(NOW + 1000) } });
});

it('tells handlers the old end when another request renewed first', async () => {
  const item = idleItem({ renewed: 500, left: 500 });
  const { authorize, calls } = authorizerOver({ item, renew: async () => false }, IDLE);

  expect(await authorize(restEvent())).toMatchObject({ context: { expiresAt: String(NOW + 500) } });
  expect(calls.reports).toEqual([]);
});

it('admits although the renewal failed, and reports it', async () => {
  const renew = () => Promise.reject(new SessionStoreError('throttled', { code: 'ERR_SESSION_STORE_THROTTLED' }));
  const { authorize, calls } = authorizerOver({ item: idleItem({ renewed: 500, left: 500 }), renew }, IDLE);

  expect(await authorize(restEvent())).toMatchObject({ ...ALLOW, context: { expiresAt: String(NOW + 500) } });
  expect(calls.reports).toEqual([{ kind: 'renewalFault', code: 'ERR_SESSION_STORE_THROTTLED' }]);
});

it('never renews a session that it refuses', async () => {
  const item = { ...(idleItem({ renewed: 500, left: 500 }) as object), revoked: { BOOL: true } };
  const { authorize, calls } = authorizerOver({ item }, IDLE);

  await authorize(restEvent());
  expect(calls.renewals).toEqual([]);
});

it('never renews without an idle timeout', async () => {
  const { authorize, calls } = authorizerOver({ item: idleItem({ renewed: 500, left: 500 }) });

  await authorize(restEvent());
  expect(calls.renewals).toEqual([]);
});

it('keeps to an interval of your own', async () => {
  const item = idleItem({ renewed: 500, left: 500 });
  const { authorize, calls } = authorizerOver({ item }, { ...IDLE, renewalIntervalSeconds: 501 });

  await authorize(restEvent());
  expect(calls.renewals).toEqual([]);
});
