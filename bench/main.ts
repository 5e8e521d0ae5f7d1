// SPDX-License-Identifier: Apache-2.0
/** `npm run bench`: measures the authorizer beside what people use instead, and prints what it found. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { startBenchEnvironment } from './bench-environment';
import { compare, FULL, QUICK } from './compare';
import { costTable } from './costs';
import { documentRun } from './document';
import { growthTable } from './growth';
import { installPeers } from './install-peers';
import { measureLoad } from './load';
import { findNodeVersions } from './node-versions';
import { comparisonTable, shown, targetTable } from './report';
import { spreadOf } from './statistics';
import type { Measurements } from './targets';
import { SHIPPED } from './variants';

const USAGE = `npm run bench -- [--quick] [--document] [--delay=MILLIS]

  --quick         fewer rounds, on this Node only, small growth: about two minutes
  --document      puts what was printed into docs/performance.md
  --delay=MILLIS  how long the stub of DynamoDB takes to answer (default 0)`;

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  const unknown = args.find((arg) => !/^--(quick|document|help|delay=\d{1,4})$/.test(arg));
  if (unknown !== undefined) throw new Error(`${unknown} is not an option\n\n${USAGE}`);
  if (args.includes('--help')) return console.log(USAGE);
  const isQuick = args.includes('--quick');
  const delayMillis = Number(args.find((arg) => arg.startsWith('--delay='))?.slice(8) ?? 0);
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
  installPeers();

  const folder = mkdtempSync(join(tmpdir(), 'sessiongate-bench-'));
  const effort = isQuick ? QUICK : FULL;
  const nodes = isQuick ? findNodeVersions().slice(0, 1) : findNodeVersions();
  const results: Record<string, unknown>[] = [];
  say(
    `${cpus().length} x ${cpus()[0]?.model}; ${effort.coldRounds} cold rounds, ${effort.warmRounds} x ${effort.warmCalls} warm calls`,
  );
  say('ratios: median (10th-90th percentile) of the ratios of each round');
  let cpuMicros = 0;
  try {
    const environment = await startBenchEnvironment(folder, { delayMillis });
    try {
      for (const node of nodes) {
        const measurements = await compare(node, effort, environment, folder);
        say(`\n## Node ${node.version}\n\n${comparisonTable(measurements)}\n\n${targetTable(measurements)}`);
        results.push({ node: node.version, ...plain(measurements) });
        cpuMicros = spreadOf((measurements.warm.get(SHIPPED) ?? []).map((batch) => batch.cpuMicros)).median;
      }
    } finally {
      environment.close();
    }
    const node = nodes[nodes.length - 1] ?? findNodeVersions()[0];
    if (node === undefined) throw new Error('no Node to measure on');
    say(`\n## How the cost of one authorization grows (Node ${node.version})\n`);
    say(await growthTable(node, folder, isQuick ? 10_000 : 100_000));
    say(
      `\n## What a million requests cost (${cpuMicros.toFixed(0)} us of processor time each; see bench/prices.json)\n`,
    );
    say(costTable(cpuMicros));
    const load = await measureLoad(isQuick ? 5 : 20, 10);
    say('\n## The local stack under load (10 connections, GET /hello)\n');
    say(
      `${load.requestsPerSecond.toFixed(0)} requests a second, median ${load.p50Millis} ms, 99th percentile ` +
        `${load.p99Millis} ms, ${load.failures} of ${load.requests} failed`,
    );
    results.push({ load });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const date = new Date().toISOString().slice(0, 10);
  if (args.includes('--document')) documentRun(said, date);
  const file = join(__dirname, 'results', `${date}${isQuick ? '-quick' : ''}.json`);
  mkdirSync(join(__dirname, 'results'), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ printed: said, results }, toHundredths, 1)}\n`);
  console.log(`\nwritten to ${relative(process.cwd(), file)}`);
}

const said: string[] = [];

function say(text: string): void {
  said.push(text);
  console.log(text);
}

/** What every round measured, for whoever wants to calculate otherwise. */
function plain({ variants, cold, warm }: Measurements): Record<string, unknown> {
  return Object.fromEntries(
    variants.map(({ name, bytes }) => [
      name,
      {
        bytes,
        cold: cold.get(name),
        warm: warm.get(name),
        warmCpuMicros: shown(spreadOf((warm.get(name) ?? []).map((batch) => batch.cpuMicros))),
      },
    ]),
  );
}

/** More digits would only say how busy the machine was. */
function toHundredths(_: string, value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 100) / 100 : value;
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
