// SPDX-License-Identifier: Apache-2.0
/** The access log of a REST API: who was let in or refused, where and why, without cookies, bodies or query strings. */
import { AccessLogField, AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';

/** One JSON object per request. The resource path is the template, such as `/sessions/{id}`. */
export function accessLogFormat(): AccessLogFormat {
  return AccessLogFormat.custom(
    JSON.stringify({
      time: AccessLogField.contextRequestTime(),
      requestId: AccessLogField.contextRequestId(),
      ip: AccessLogField.contextIdentitySourceIp(),
      method: AccessLogField.contextHttpMethod(),
      route: AccessLogField.contextResourcePath(),
      status: AccessLogField.contextStatus(),
      responseLength: AccessLogField.contextResponseLength(),
      responseLatencyMillis: AccessLogField.contextResponseLatency(),
      user: AccessLogField.contextAuthorizer('user'),
      session: AccessLogField.contextAuthorizer('sessionId'),
      refusal: AccessLogField.contextErrorResponseType(),
      authorizerStatus: AccessLogField.contextAuthorizerStatus(),
      authorizerError: AccessLogField.contextAuthorizerError(),
      authorizerLatencyMillis: AccessLogField.contextAuthorizerLatency(),
      integrationError: AccessLogField.contextIntegrationErrorMessage(),
    }),
  );
}
