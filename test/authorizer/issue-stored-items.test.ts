// SPDX-License-Identifier: Apache-2.0
/** Faults that others reported about sessions in DynamoDB, as inputs for this authorizer. */
import { ALLOW, authorizerOver, DENY, NOW, restEvent, sessionItem } from './set-up';

it.each<[string, object, 'allow' | 'deny']>([
  ['connect-dynamodb#70: an old expiry in DynamoDB’s own form', { expires_at: { N: '1700000000' } }, 'deny'],
  ['connect-dynamodb#3: an expiry that is text', { expires_at: { S: '9999999999' } }, 'deny'],
  ['connect-dynamodb#43: an expiry in milliseconds', { expires_at: { N: String((NOW + 60) * 1000) } }, 'deny'],
  ['nextauthjs/adapters#366: an expiry in ISO 8601', { expires_at: { S: '2030-12-01T00:00:00Z' } }, 'deny'],
  ['aws-sdk-php#187: empty session data', { data: { S: '{}' } }, 'allow'],
])('issue %s', async (_, changes, expected) => {
  const { authorize } = authorizerOver({ item: sessionItem(changes as Record<string, unknown>) });

  expect(await authorize(restEvent())).toMatchObject(expected === 'allow' ? ALLOW : DENY);
});

it('issue teleport#53591: expired is answered like absent', async () => {
  const expired = await authorizerOver({ item: sessionItem({ expires_at: { N: String(NOW) } }) }).authorize(
    restEvent(),
  );
  const absent = await authorizerOver({ item: undefined }).authorize(restEvent());

  expect(JSON.stringify(expired)).toBe(JSON.stringify(absent));
});

it('issue aws-dynamodb-session-tomcat#11: a session ended between two calls is refused by the second', async () => {
  const table: { item?: unknown } = { item: sessionItem() };
  const { authorize } = authorizerOver(table);

  expect(await authorize(restEvent())).toMatchObject(ALLOW);
  delete table.item;
  expect(await authorize(restEvent())).toMatchObject(DENY);
});

it('issue aws-dotnet-session-provider#1: a hundred parallel requests are a hundred reads and no write', async () => {
  const { authorize, calls } = authorizerOver({ item: sessionItem() });

  await Promise.all(Array.from({ length: 100 }, () => authorize(restEvent())));
  expect(calls.reads).toHaveLength(100);
  expect(calls.renewals).toEqual([]);
});

it('issue express-session#891: a thousand requests within an interval are at most one write', async () => {
  const table: { item: Record<string, unknown>; renew?: () => Promise<boolean> } = {
    item: { ...sessionItem({ issued_at: { N: String(NOW - 100) }, expires_at: { N: String(NOW + 900) } }) },
  };
  const { authorize, calls } = authorizerOver(table, { idleTimeoutSeconds: 1000, absoluteTimeoutSeconds: 100_000 });
  table.renew = async () => {
    table.item = { ...table.item, renewed_at: { N: String(NOW) }, expires_at: { N: String(NOW + 1000) } };
    return true;
  };

  for (let request = 0; request < 1000; request++) await authorize(restEvent());
  expect(calls.renewals).toHaveLength(1);
});
