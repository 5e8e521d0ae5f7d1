// SPDX-License-Identifier: Apache-2.0
/** The events of a WebSocket API, for its authorizer and its functions. */
import { randomBytes } from 'node:crypto';
import type { StackEnvironment } from '../../template/template';
import { type GatewayRequest, groupByName, headerValues, lastByName } from '../exchange';
import { clfTime, forwardedHeaders, hostOf } from '../request-parts';
import type { WebSocketApi } from './web-socket-api';

/** One connection, from its handshake on. */
export interface Connection {
  readonly id: string;
  readonly handshake: GatewayRequest;
  readonly api: WebSocketApi;
  readonly environment: StackEnvironment;
  readonly connectedAtMillis: number;
}

type Event = Record<string, unknown>;

export function connectArn({ api, environment }: Connection): string {
  return `arn:aws:execute-api:${environment.region}:${environment.accountId}:${api.id}/${api.stage}/$connect`;
}

export function webSocketAuthorizerEvent(connection: Connection): Event {
  return {
    type: 'REQUEST',
    methodArn: connectArn(connection),
    ...handshakeParts(connection),
    stageVariables: connection.api.stageVariables,
    requestContext: requestContext(connection, '$connect', 'CONNECT', connection.connectedAtMillis, undefined),
  };
}

export function connectEvent(connection: Connection, authorizer: Event | undefined): Event {
  return {
    ...handshakeParts(connection),
    requestContext: requestContext(connection, '$connect', 'CONNECT', connection.connectedAtMillis, authorizer),
    isBase64Encoded: false,
  };
}

export function messageEvent(
  connection: Connection,
  routeKey: string,
  body: string,
  nowMillis: number,
  authorizer: Event | undefined,
): Event {
  return {
    requestContext: {
      ...requestContext(connection, routeKey, 'MESSAGE', nowMillis, authorizer),
      messageId: newId(),
    },
    body,
    isBase64Encoded: false,
  };
}

export function disconnectEvent(
  connection: Connection,
  closeCode: number,
  nowMillis: number,
  authorizer: Event | undefined,
): Event {
  return {
    requestContext: {
      ...requestContext(connection, '$disconnect', 'DISCONNECT', nowMillis, authorizer),
      disconnectStatusCode: closeCode,
    },
    isBase64Encoded: false,
  };
}

/** As API Gateway writes its ids. */
export function newId(): string {
  return `${randomBytes(11).toString('base64url')}=`;
}

/** The headers of the upgrade itself are among them, in the client's casing. */
function handshakeParts({ handshake }: Connection): Event {
  const multiValueHeaders = groupByName([
    ...handshake.headers.filter(([name]) => /^(connection|upgrade)$/i.test(name)),
    ...forwardedHeaders(handshake),
  ]);
  const multiValueQuery = groupByName(new URLSearchParams(handshake.query));
  return {
    headers: lastByName(multiValueHeaders),
    multiValueHeaders,
    queryStringParameters: lastByName(multiValueQuery),
    multiValueQueryStringParameters: multiValueQuery,
  };
}

function requestContext(
  { id, handshake, api, connectedAtMillis }: Connection,
  routeKey: string,
  eventType: 'CONNECT' | 'MESSAGE' | 'DISCONNECT',
  timeMillis: number,
  authorizer: Event | undefined,
): Event {
  return {
    apiId: api.id,
    ...(authorizer === undefined ? {} : { authorizer }),
    connectedAt: connectedAtMillis,
    connectionId: id,
    domainName: hostOf(handshake),
    eventType,
    extendedRequestId: newId(),
    identity: {
      sourceIp: handshake.sourceIp,
      userAgent: headerValues(handshake.headers, 'user-agent')[0] ?? null,
    },
    messageDirection: 'IN',
    requestId: newId(),
    requestTime: clfTime(timeMillis),
    requestTimeEpoch: timeMillis,
    routeKey,
    stage: api.stage,
  };
}
