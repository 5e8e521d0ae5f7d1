// SPDX-License-Identifier: Apache-2.0
/** CORS of an HTTP API, which the API answers itself (Developer Guide, "Configure CORS for HTTP APIs"). */
import type { Properties } from '../../template/resolver';
import { type GatewayAnswer, type GatewayRequest, type HeaderList, headerValues } from '../exchange';

export interface CorsConfiguration {
  /** Exact origins, or `*`, `http://*`, `https://*`. */
  readonly allowOrigins: readonly string[];
  readonly allowMethods: readonly string[];
  readonly allowHeaders: readonly string[];
  readonly exposeHeaders: readonly string[];
  readonly allowCredentials: boolean;
  readonly maxAgeSeconds?: number;
}

export function readCors(properties: Properties | undefined): CorsConfiguration | undefined {
  if (properties === undefined) return undefined;
  return {
    allowOrigins: (properties.AllowOrigins ?? []) as string[],
    allowMethods: (properties.AllowMethods ?? []) as string[],
    allowHeaders: (properties.AllowHeaders ?? []) as string[],
    exposeHeaders: (properties.ExposeHeaders ?? []) as string[],
    allowCredentials: properties.AllowCredentials === true,
    ...(properties.MaxAge === undefined ? {} : { maxAgeSeconds: Number(properties.MaxAge) }),
  };
}

/** A browser's question whether it may send a request. */
export function isPreflight(request: GatewayRequest): boolean {
  return (
    request.method === 'OPTIONS' &&
    headerValues(request.headers, 'origin').length > 0 &&
    headerValues(request.headers, 'access-control-request-method').length > 0
  );
}

/** The answer to a preflight; without CORS headers where the origin is not one of those allowed. */
export function answerPreflight(cors: CorsConfiguration, request: GatewayRequest): GatewayAnswer {
  const origin = allowedOrigin(cors, request);
  if (origin === undefined) return { statusCode: 204, headers: [], body: '' };
  return {
    statusCode: 204,
    headers: [
      ...originHeaders(cors, origin),
      ...listHeader('access-control-allow-methods', cors.allowMethods),
      ...listHeader('access-control-allow-headers', cors.allowHeaders),
      ...(cors.maxAgeSeconds === undefined ? [] : [['access-control-max-age', String(cors.maxAgeSeconds)] as const]),
    ],
    body: '',
  };
}

/** An integration's answer with the API's own CORS headers in place of those the integration gave. */
export function withCors(cors: CorsConfiguration, request: GatewayRequest, answer: GatewayAnswer): GatewayAnswer {
  const own = answer.headers.filter(([name]) => !name.toLowerCase().startsWith('access-control-'));
  const origin = allowedOrigin(cors, request);
  if (origin === undefined) return { ...answer, headers: own };
  const headers = [
    ...own,
    ...originHeaders(cors, origin),
    ...listHeader('access-control-expose-headers', cors.exposeHeaders),
  ];
  return { ...answer, headers };
}

function allowedOrigin(cors: CorsConfiguration, request: GatewayRequest): string | undefined {
  const [origin] = headerValues(request.headers, 'origin');
  if (origin === undefined) return undefined;
  if (cors.allowOrigins.includes('*')) return '*';
  const isAllowed = cors.allowOrigins.some(
    (allowed) => allowed === origin || (/^https?:\/\/\*$/.test(allowed) && origin.startsWith(allowed.slice(0, -1))),
  );
  return isAllowed ? origin : undefined;
}

function originHeaders(cors: CorsConfiguration, origin: string): HeaderList {
  return [
    ['access-control-allow-origin', origin],
    ...(cors.allowCredentials ? [['access-control-allow-credentials', 'true'] as const] : []),
    ...(origin === '*' ? [] : [['vary', 'origin'] as const]),
  ];
}

function listHeader(name: string, values: readonly string[]): HeaderList {
  return values.length === 0 ? [] : [[name, values.join(',')]];
}
