// SPDX-License-Identifier: Apache-2.0
/** The second, optional read: the "sessions valid after" line in the application's own user record. */
import { ALLOW, authorizerOver, DENY, NOW, restEvent, sessionItem } from './set-up';

const ISSUED = NOW - 1000;
const OPTIONS = { userRecord: { attribute: 'valid_after' } };

it.each<[string, unknown, object, string | undefined]>([
  ['a line before the login', { valid_after: { N: String(ISSUED - 1) } }, {}, undefined],
  ['a line in the second of the login', { valid_after: { N: String(ISSUED) } }, {}, undefined],
  ['a line after the login', { valid_after: { N: String(ISSUED + 1) } }, {}, 'userBeforeLine'],
  ['no line', { PK: { S: 'U#alice' } }, {}, undefined],
  ['no user record', undefined, {}, 'userRecordAbsent'],
  ['a line that is text', { valid_after: { S: String(ISSUED - 1) } }, {}, 'userRecordMalformed'],
  ['a line in fractions', { valid_after: { N: '1.5' } }, {}, 'userRecordMalformed'],
  [
    'a session that does not say when it was issued',
    { valid_after: { N: '1' } },
    { issued_at: undefined },
    'userBeforeLine',
  ],
])('%s', async (_, record, changes, refusal) => {
  const item = Object.fromEntries(
    Object.entries(sessionItem(changes as Record<string, unknown>)).filter(([, value]) => value !== undefined),
  );
  const { authorize, calls } = authorizerOver({ item, record }, OPTIONS);

  expect(await authorize(restEvent())).toMatchObject(refusal === undefined ? ALLOW : DENY);
  expect(calls).toMatchObject({
    reads: [expect.any(String)],
    recordReads: [{ partitionKey: 'U#alice', sortKey: 'PROFILE' }],
    reports: refusal === undefined ? [] : [{ kind: 'denied', reason: refusal }],
  });
});

it('refuses a session that does not say whose record to read, without the read', async () => {
  const { user_pk: _, user_sk: __, ...item } = sessionItem();
  const { authorize, calls } = authorizerOver({ item, record: {} }, OPTIONS);

  expect(await authorize(restEvent())).toMatchObject(DENY);
  expect(calls).toMatchObject({ recordReads: [], reports: [{ reason: 'userRecordUnknown' }] });
});

it('is not made for a session that is over anyway', async () => {
  const { authorize, calls } = authorizerOver({ item: undefined, record: {} }, OPTIONS);

  expect(await authorize(restEvent())).toMatchObject(DENY);
  expect(calls.recordReads).toEqual([]);
});

it('is not made without the setting', async () => {
  const { authorize, calls } = authorizerOver({ item: sessionItem() });

  expect(await authorize(restEvent())).toMatchObject(ALLOW);
  expect(calls.recordReads).toEqual([]);
});

it('fails the request if the record cannot be read', async () => {
  const { authorize } = authorizerOver({ item: sessionItem(), record: null }, OPTIONS);

  await expect(authorize(restEvent())).rejects.toMatchObject({ code: 'ERR_SESSION_STORE' });
});
