// SPDX-License-Identifier: Apache-2.0
/** A REST API that asks for a session by default: CORS, throttling, access log, domain and its own refusals. */
import { Duration, Names } from 'aws-cdk-lib';
import {
  AuthorizationType,
  type CorsOptions,
  type DomainNameOptions,
  EndpointType,
  LogGroupLogDestination,
  MethodLoggingLevel,
  RestApi,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { RestSessionAuthorizer } from '../rest-session-authorizer';
import type { SessionApiOptions } from '../session-api-options';
import { accessLogFormat } from './access-log';
import { acknowledgeFindings } from './acknowledged-findings';
import { addGatewayResponses } from './gateway-responses';

export interface ProtectedRestApiProps extends SessionApiOptions {
  readonly authorizer: RestSessionAuthorizer;
  /** The one origin whose pages may read answers; absent: only the API's own. */
  readonly allowedOrigin?: string;
}

export function createProtectedRestApi(scope: Construct, props: ProtectedRestApiProps): RestApi {
  const api = new RestApi(scope, 'Api', {
    restApiName: Names.uniqueResourceName(scope, { maxLength: 100 }),
    description: 'Every route wants a session',
    endpointTypes: [EndpointType.REGIONAL],
    domainName: domainNameOptions(scope, props),
    disableExecuteApiEndpoint: props.domainName === undefined ? undefined : true,
    cloudWatchRole: props.cloudWatchRole ?? false,
    defaultMethodOptions: { authorizer: props.authorizer, authorizationType: AuthorizationType.CUSTOM },
    defaultCorsPreflightOptions: preflightOptions(props.allowedOrigin),
    deployOptions: {
      stageName: props.stageName ?? 'prod',
      throttlingRateLimit: props.throttlingRateLimit ?? 1000,
      throttlingBurstLimit: props.throttlingBurstLimit ?? 1000,
      // The execution log can hold headers, and with them the cookie.
      loggingLevel: MethodLoggingLevel.OFF,
      dataTraceEnabled: false,
      accessLogDestination: new LogGroupLogDestination(
        new LogGroup(scope, 'AccessLog', { retention: props.logRetention ?? RetentionDays.THREE_MONTHS }),
      ),
      accessLogFormat: accessLogFormat(),
    },
  });
  addGatewayResponses(api, props.allowedOrigin);
  acknowledgeFindings(api, 'APIG2', 'APIG3', 'APIG6', 'COG4');
  return api;
}

/** A page of another origin asks before it sends JSON, and reads the answer only if it may send its cookies along. */
function preflightOptions(allowedOrigin: string | undefined): CorsOptions | undefined {
  if (allowedOrigin === undefined) return undefined;
  return {
    allowOrigins: [allowedOrigin],
    allowCredentials: true,
    allowHeaders: ['Content-Type', 'X-CSRF-Token'],
    maxAge: Duration.minutes(10),
  };
}

function domainNameOptions(
  scope: Construct,
  { domainName, certificateArn }: SessionApiOptions,
): DomainNameOptions | undefined {
  if ((domainName === undefined) !== (certificateArn === undefined))
    throw new Error('domainName and certificateArn must be given together');
  if (domainName === undefined || certificateArn === undefined) return undefined;
  const certificate = Certificate.fromCertificateArn(scope, 'Certificate', certificateArn);
  return { domainName, certificate, endpointType: EndpointType.REGIONAL, securityPolicy: SecurityPolicy.TLS_1_2 };
}
