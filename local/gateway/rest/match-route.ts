// SPDX-License-Identifier: Apache-2.0
/** Finds the route for a method and a path: literal segments before `{parameter}`, that before `{proxy+}`. */
import { compareRanks, matchPath, segmentsOf } from '../match-path';
import type { RestRoute } from './rest-api';

export interface RouteMatch {
  readonly route: RestRoute;
  readonly pathParameters: Readonly<Record<string, string>>;
}

/**
 * The best resource for the path decides; if it has neither the method nor `ANY`, there is no route, even where a less
 * specific resource has one. A slash at the end does not count.
 */
export function matchRoute(routes: readonly RestRoute[], method: string, path: string): RouteMatch | undefined {
  const segments = segmentsOf(path);
  let best: { readonly rank: readonly number[]; readonly matches: RouteMatch[] } | undefined;
  for (const route of routes) {
    const match = matchPath(segmentsOf(route.resourcePath), segments);
    if (match === undefined) continue;
    const order = best === undefined ? -1 : compareRanks(match.rank, best.rank);
    if (order < 0) best = { rank: match.rank, matches: [] };
    if (order <= 0) best?.matches.push({ route, pathParameters: match.pathParameters });
  }
  const matches = best?.matches ?? [];
  return matches.find(({ route }) => route.method === method) ?? matches.find(({ route }) => route.method === 'ANY');
}
