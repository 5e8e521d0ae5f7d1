// SPDX-License-Identifier: Apache-2.0
/** Cold starts, each in a fresh process, in another order each round. */
import { fork } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BenchEnvironment } from './bench-environment';
import type { BuiltVariant } from './build-variants';

export interface ColdStart {
  readonly loadMillis: number;
  readonly firstCallMillis: number;
  readonly cpuMillis: number;
  readonly peakKilobytes: number;
}

/** By name of the variant, one entry a round. */
export type ColdStarts = ReadonlyMap<string, readonly ColdStart[]>;

export async function measureCold(
  variants: readonly BuiltVariant[],
  rounds: number,
  node: string,
  environment: BenchEnvironment,
  folder: string,
): Promise<ColdStarts> {
  const starts = new Map<string, ColdStart[]>(variants.map(({ name }) => [name, []]));
  // The first start of each reads its file from disk; it is not counted.
  for (const variant of variants) await startOnce(variant, node, environment, folder);
  for (let round = 0; round < rounds; round++) {
    const order = variants.map((_, index) => variants[(index + round) % variants.length] as BuiltVariant);
    if (round % 2 === 1) order.reverse();
    for (const variant of order) starts.get(variant.name)?.push(await startOnce(variant, node, environment, folder));
  }
  return starts;
}

function startOnce(
  variant: BuiltVariant,
  node: string,
  { variables, event }: BenchEnvironment,
  folder: string,
): Promise<ColdStart> {
  const input = join(folder, 'cold.json');
  writeFileSync(input, JSON.stringify({ file: pathToFileURL(variant.file).href, event }));
  return new Promise((resolve, reject) => {
    const child = fork(join(__dirname, 'processes/cold.mjs'), [input], {
      execPath: node,
      execArgv: [],
      env: variables,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk;
    });
    let start: ColdStart | undefined;
    child.on('message', (message) => {
      start = message as ColdStart;
    });
    child.on('error', reject);
    child.on('close', () => (start ? resolve(start) : reject(new Error(`${variant.name} did not start: ${said}`))));
  });
}
