// SPDX-License-Identifier: Apache-2.0
/** What every peer needs around its session library: the cookie's value and a policy. As short as people write it. */

export function cookieOf(event, name) {
  for (const pair of (event.headers.Cookie ?? '').split('; '))
    if (pair.startsWith(`${name}=`)) return pair.slice(name.length + 1);
  return undefined;
}

export function policy(event, user) {
  const Resource = `${event.methodArn.split('/').slice(0, 2).join('/')}/*`;
  return {
    principalId: user,
    policyDocument: {
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Action: 'execute-api:Invoke', Resource }],
    },
    context: { user },
  };
}

/** The session cookie of the benched requests; the same token for every peer that keeps sessions in the table. */
export const COOKIE_NAME = '__Host-session';
