// SPDX-License-Identifier: Apache-2.0
/** Holds a path against a route's template: literal segments, `{parameter}` and `{proxy+}`. */

/** A slash at the end does not count. */
export function segmentsOf(path: string): readonly string[] {
  const trimmed = path.replace(/^\//, '').replace(/\/$/, '');
  return trimmed === '' ? [] : trimmed.split('/');
}

/** The parameters of a path that fits, and its rank: the lower is the more specific, segment by segment. */
export function matchPath(
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

/** Negative where the first is the more specific. */
export function compareRanks(one: readonly number[], other: readonly number[]): number {
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
