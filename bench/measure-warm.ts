// SPDX-License-Identifier: Apache-2.0
/** Warm calls: every variant lives in a process of its own, and they take turns, so that the machine's drift meets all. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BenchEnvironment } from './bench-environment';
import type { BuiltVariant } from './build-variants';

export interface WarmBatch {
  /** Of one call. */
  readonly cpuMicros: number;
  readonly wallMicros: number;
}

/** By name of the variant, one entry a round. */
export type WarmBatches = ReadonlyMap<string, readonly WarmBatch[]>;

export async function measureWarm(
  variants: readonly BuiltVariant[],
  rounds: number,
  calls: number,
  node: string,
  environment: BenchEnvironment,
  folder: string,
): Promise<WarmBatches> {
  const batches = new Map<string, WarmBatch[]>(variants.map(({ name }) => [name, []]));
  const processes: { readonly name: string; readonly child: ChildProcess }[] = [];
  try {
    for (const variant of variants)
      processes.push({ name: variant.name, child: await live(variant, node, environment, folder) });
    // Until the compiler has settled; not counted.
    for (const { child } of processes) await batch(child, calls);
    for (let round = 0; round < rounds; round++)
      for (let turn = 0; turn < processes.length; turn++) {
        const next = processes[(turn + round) % processes.length];
        if (next !== undefined) batches.get(next.name)?.push(await batch(next.child, calls));
      }
  } finally {
    for (const { child } of processes) child.disconnect();
  }
  return batches;
}

async function live(
  variant: BuiltVariant,
  node: string,
  { variables, event }: BenchEnvironment,
  folder: string,
): Promise<ChildProcess> {
  const input = join(folder, 'warm.json');
  writeFileSync(input, JSON.stringify({ file: pathToFileURL(variant.file).href, event }));
  const child = fork(join(__dirname, 'processes/warm.mjs'), [input], {
    execPath: node,
    execArgv: [],
    env: variables,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await once(child, 'message');
  return child;
}

async function batch(child: ChildProcess, calls: number): Promise<WarmBatch> {
  child.send({ calls });
  const [{ cpuMillis, wallMillis }] = (await once(child, 'message')) as [{ cpuMillis: number; wallMillis: number }];
  return { cpuMicros: (cpuMillis * 1000) / calls, wallMicros: (wallMillis * 1000) / calls };
}
