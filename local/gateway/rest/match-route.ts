// SPDX-License-Identifier: Apache-2.0
/** Finds the route for a method and a path: literal segments before `{parameter}`, that before `{proxy+}`. */
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

function segmentsOf(path: string): readonly string[] {
  const trimmed = path.replace(/^\//, '').replace(/\/$/, '');
  return trimmed === '' ? [] : trimmed.split('/');
}

/** A lower rank is the more specific, segment by segment. */
function matchPath(
  template: readonly string[],
  segments: readonly string[],
): { readonly rank: readonly number[]; readonly pathParameters: Record<string, string> } | undefined {
  const rank: number[] = [];
  const pathParameters: Record<string, string> = {};
  for (const [index, part] of template.entries()) {
    const greedy = /^\{(.+)\+\}$/.exec(part)?.[1];
    if (greedy !== undefined) {
      const rest = segments.slice(index);
      if (rest.length === 0) return undefined;
      pathParameters[greedy] = decode(rest.join('/'));
      return { rank: [...rank, 2], pathParameters };
    }
    const segment = segments[index];
    if (segment === undefined || segment === '') return undefined;
    const parameter = /^\{(.+)\}$/.exec(part)?.[1];
    if (parameter !== undefined) pathParameters[parameter] = decode(segment);
    else if (part !== segment) return undefined;
    rank.push(parameter === undefined ? 0 : 1);
  }
  return segments.length === template.length ? { rank, pathParameters } : undefined;
}

function compareRanks(one: readonly number[], other: readonly number[]): number {
  for (const [index, rank] of one.entries()) {
    const difference = rank - (other[index] ?? 3);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** What is no valid encoding stays as it was sent. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
