// SPDX-License-Identifier: Apache-2.0
/** What `-c key=value` may say to the CDK app. */
import { propsFromContext } from '../../bin/app-context';
import { context } from '../../cdk.json';

test.each([
  ['one API', { attachRestApiId: 'abc123' }, { attachRestApiIds: ['abc123'] }],
  ['several APIs', { attachHttpApiId: 'abc123, def456' }, { attachHttpApiIds: ['abc123', 'def456'] }],
  ['a list of cdk.json', { attachWebSocketApiId: ['abc123'] }, { attachWebSocketApiIds: ['abc123'] }],
  [
    'APIs of two kinds',
    { attachRestApiId: 'a', attachHttpApiId: 'b' },
    { attachRestApiIds: ['a'], attachHttpApiIds: ['b'] },
  ],
  ['origins', { allowedOrigins: 'https://app.example.com' }, { allowedOrigins: ['https://app.example.com'] }],
  [
    'a domain',
    { domainName: 'api.example.com', certificateArn: 'arn' },
    { domainName: 'api.example.com', certificateArn: 'arn' },
  ],
  ['an epoch', { epoch: 'v2' }, { epoch: 'v2' }],
  ['the role for logs', { cloudWatchRole: 'true' }, { cloudWatchRole: true }],
  [
    'what the CDK itself puts there',
    { ...context, 'aws:cdk:version-reporting': true, 'acknowledged-issue-numbers': [1] },
    {},
  ],
])('takes %s', (_name, given, props) => {
  expect(propsFromContext(given)).toEqual(props);
});

test.each([
  [
    'an unknown key',
    { attachRestApi: 'abc123' },
    /^there is no context key attachRestApi; the keys are attachRestApiId, /,
  ],
  ['a key of every object', { constructor: 'x' }, /^there is no context key constructor/],
  ['an empty value', { attachRestApiId: '' }, /^attachRestApiId must not be empty: -c attachRestApiId=<value>$/],
  ['an empty value among others', { attachRestApiId: 'a,,b' }, /^attachRestApiId must not be empty/],
  ['a value of another type', { attachHttpApiId: 5 }, /^attachHttpApiId must be one value, or several with commas$/],
  ['a flag that is none', { cloudWatchRole: 'yes' }, /^cloudWatchRole must be true or false$/],
])('refuses %s', (_name, given, message) => {
  expect(() => propsFromContext(given)).toThrow(message);
});
