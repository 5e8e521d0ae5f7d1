// SPDX-License-Identifier: Apache-2.0
/** Finds the route of an HTTP API: the most specific that takes the method, else `$default`. */
import { compareRanks, matchPath, segmentsOf } from '../match-path';
import type { HttpRoute } from './http-api';

export interface HttpRouteMatch {
  readonly route: HttpRoute;
  readonly pathParameters: Readonly<Record<string, string>>;
}

export function matchHttpRoute(routes: readonly HttpRoute[], method: string, path: string): HttpRouteMatch | undefined {
  // Here, unlike in a REST API, a slash at the end counts.
  const segments = path === '/' ? [] : path.slice(1).split('/');
  const matches = routes.flatMap((route) => {
    const [verb, template] = route.routeKey.split(' ');
    if (template === undefined || (verb !== method && verb !== 'ANY')) return [];
    const match = matchPath(segmentsOf(template), segments);
    // Of two equal paths the one that names the method comes first.
    return match === undefined ? [] : [{ route, ...match, rank: [...match.rank, verb === 'ANY' ? 1 : 0] }];
  });
  const [best] = matches.sort((one, other) => compareRanks(one.rank, other.rank));
  if (best !== undefined) return { route: best.route, pathParameters: best.pathParameters };
  const route = routes.find(({ routeKey }) => routeKey === '$default');
  return route === undefined ? undefined : { route, pathParameters: {} };
}
