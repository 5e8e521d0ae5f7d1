// SPDX-License-Identifier: Apache-2.0
/** Measures every variant on one version of Node. */
import type { BenchEnvironment } from './bench-environment';
import { buildVariant } from './build-variants';
import { measureCold } from './measure-cold';
import { measureWarm } from './measure-warm';
import type { NodeVersion } from './node-versions';
import type { Measurements } from './targets';
import { VARIANTS } from './variants';

export interface Effort {
  readonly coldRounds: number;
  readonly warmRounds: number;
  readonly warmCalls: number;
}

export const FULL: Effort = { coldRounds: 20, warmRounds: 20, warmCalls: 500 };
export const QUICK: Effort = { coldRounds: 8, warmRounds: 8, warmCalls: 200 };

export async function compare(
  node: NodeVersion,
  effort: Effort,
  environment: BenchEnvironment,
  folder: string,
): Promise<Measurements> {
  const wanted = VARIANTS.filter(({ fromNode = 0 }) => fromNode <= node.major);
  const variants = await Promise.all(wanted.map((variant) => buildVariant(variant, folder)));
  const cold = await measureCold(variants, effort.coldRounds, node.file, environment, folder);
  const warm = await measureWarm(variants, effort.warmRounds, effort.warmCalls, node.file, environment, folder);
  return { variants, cold, warm };
}
