// SPDX-License-Identifier: Apache-2.0
/** SessionApi under a host name of its own, and the warning where that is on another site than its pages. */
import { Aws } from 'aws-cdk-lib';
import { createApi } from './created-api';
import { createFunction, createStack, messagesOf, onlyResource, resourcesOf } from './synthesis';

const CERTIFICATE_ARN = 'arn:aws:acm:eu-west-1:111122223333:certificate/c';

describe('a custom domain', () => {
  function withDomain() {
    const stack = createStack();
    const login = createFunction(stack);
    const domain = { domainName: 'api.example.com', certificateArn: CERTIFICATE_ARN };
    return createApi({ ...domain, loginHandler: login }, stack);
  }

  test('maps to the stage, and the generated endpoint is switched off', () => {
    const { stack, sessionApi } = withDomain();

    expect(onlyResource(stack, 'AWS::ApiGateway::DomainName')).toMatchObject({
      DomainName: 'api.example.com',
      EndpointConfiguration: { Types: ['REGIONAL'] },
    });
    expect(onlyResource(stack, 'AWS::ApiGateway::BasePathMapping').Stage).toBeDefined();
    expect(onlyResource(stack, 'AWS::ApiGateway::RestApi').DisableExecuteApiEndpoint).toBe(true);
    expect(sessionApi.url).toBe('https://api.example.com/');
  });

  test('is the own origin of the API for the authorizer, the session routes and the login', () => {
    const { stack } = withDomain();

    const functions = Object.values(resourcesOf(stack, 'AWS::Lambda::Function'));
    expect(functions).toHaveLength(3);
    for (const { Properties } of functions)
      expect(Properties.Environment.Variables.SESSIONGATE_API_ORIGINS).toBe('["https://api.example.com"]');
  });

  test.each<[string, string, string[], RegExp | undefined]>([
    ['the site of the pages', 'api.example.com', ['https://app.example.com'], undefined],
    ['the site itself', 'example.com', ['https://app.shop.example.com'], undefined],
    ['the site of one whose port differs', 'api.example.com', ['https://example.com:8443'], undefined],
    ['a site where nobody is allowed', 'api.example.com', [], undefined],
    ['a site that is known at deployment', `api.${Aws.REGION}.example`, ['https://app.example.com'], undefined],
    ['the site of pages that are known then', 'api.example.com', [`https://${Aws.REGION}.example`], undefined],
    [
      'another site',
      'api.example.net',
      ['https://app.example.com'],
      /^domainName api\.example\.net is on another site than the pages of allowedOrigins \(https:\/\/app\.example\.com\)/,
    ],
    ['the site over another scheme', 'api.example.com', ['http://app.example.com'], /SameSite=Lax/],
    ['another site than localhost', 'api.example.com', ['http://localhost:3000'], /another site/],
  ])('is %s: %s for pages of %j', (_, domainName, allowedOrigins, warning) => {
    const { stack } = createApi({ domainName, certificateArn: CERTIFICATE_ARN, table: { allowedOrigins } });

    const warnings = messagesOf(stack, 'warning').filter((message) => message.includes('domainName'));
    expect(warnings).toEqual(warning === undefined ? [] : [expect.stringMatching(warning)]);
  });

  test('needs its certificate, and the other way round', () => {
    const together = 'domainName and certificateArn must be given together';

    expect(() => createApi({ domainName: 'api.example.com' })).toThrow(together);
    expect(() => createApi({ certificateArn: CERTIFICATE_ARN })).toThrow(together);
  });
});
