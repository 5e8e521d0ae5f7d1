// SPDX-License-Identifier: Apache-2.0
/** The stage of a SessionApi: limits, logs, cache and region. */
import { Duration } from 'aws-cdk-lib';
import { createApi } from './created-api';
import { onlyResource, resourcesOf } from './synthesis';

describe('the stage', () => {
  test('throttles, and by default lets 1,000 requests per second through', () => {
    const [settings] = onlyResource(createApi().stack, 'AWS::ApiGateway::Stage').MethodSettings;
    expect(settings).toMatchObject({
      HttpMethod: '*',
      ResourcePath: '/*',
      ThrottlingRateLimit: 1000,
      ThrottlingBurstLimit: 1000,
    });

    const { stack } = createApi({ throttlingRateLimit: 50, throttlingBurstLimit: 20 });
    expect(onlyResource(stack, 'AWS::ApiGateway::Stage').MethodSettings[0]).toMatchObject({
      ThrottlingRateLimit: 50,
      ThrottlingBurstLimit: 20,
    });
  });

  test('writes no execution log and no data trace, which could hold the cookie', () => {
    const { stack } = createApi();

    expect(onlyResource(stack, 'AWS::ApiGateway::Stage').MethodSettings).toEqual([
      expect.objectContaining({ DataTraceEnabled: false, LoggingLevel: 'OFF' }),
    ]);
  });

  test('writes an access log of JSON without headers, query strings or bodies', () => {
    const { stack } = createApi();

    const { DestinationArn, Format } = onlyResource(stack, 'AWS::ApiGateway::Stage').AccessLogSetting;
    expect(Object.keys(resourcesOf(stack, 'AWS::Logs::LogGroup'))).toContain(DestinationArn['Fn::GetAtt'][0]);
    const values: string[] = Object.values(JSON.parse(Format));
    expect(values.every((value) => value.startsWith('$context.'))).toBe(true);
    expect(values).toEqual(
      expect.arrayContaining(['$context.authorizer.user', '$context.status', '$context.authorizer.error']),
    );
    expect(Format).not.toMatch(/cookie|header|querystring|requestOverride|responseOverride|\$context\.path/i);
  });

  test('caches nothing unless asked, and then only within the rules of the authorizer', () => {
    expect(onlyResource(createApi().stack, 'AWS::ApiGateway::Authorizer').AuthorizerResultTtlInSeconds).toBe(0);
    expect(() => createApi({ resultsCacheTtl: Duration.seconds(30) })).toThrow(/needs csrf 'off'/);
  });

  test('is served in the region, where headers keep their case', () => {
    expect(onlyResource(createApi().stack, 'AWS::ApiGateway::RestApi').EndpointConfiguration).toEqual({
      Types: ['REGIONAL'],
    });
  });
});

test('the role by which API Gateway writes logs is made only if asked for', () => {
  expect(resourcesOf(createApi().stack, 'AWS::ApiGateway::Account')).toEqual({});
  expect(Object.keys(resourcesOf(createApi({ cloudWatchRole: true }).stack, 'AWS::ApiGateway::Account'))).toHaveLength(
    1,
  );
});
