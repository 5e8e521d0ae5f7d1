// SPDX-License-Identifier: Apache-2.0
/**
 * Explores interleavings of lifecycle operations further than the tests do, and keeps the figures in docs/interleavings.md.
 *
 *     npm run interleavings                      pairs, single operations with up to three faults, wide reads
 *     npm run interleavings -- --triples         three operations at a time
 *     npm run interleavings -- --faults          pairs with one fault at every store call
 *     npm run interleavings -- --max-states N    at most N states in each scenario, default 20,000; 0: no limit
 */
import { fork } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BROKEN_RULES, brokenScenario } from '../test/interleavings/broken-rules';
import { explore } from '../test/interleavings/explore';

import * as plan from '../test/interleavings/plan';
import { type Scenario, systemOf } from '../test/interleavings/scenario';
import { addSurveys, describeSurvey, EMPTY_SURVEY, type Survey, survey } from '../test/interleavings/survey';
import { type CaughtBreakage, withCaught, withSurvey } from '../test/interleavings/survey-document';

interface Part {
  readonly scenarios: () => Scenario[];
  /** Scenarios that one child process explores; it ends after that, so that memory stays bounded. */
  readonly chunk: number;
}

const PARTS: Readonly<Record<string, Part>> = {
  'any two operations': { scenarios: () => plan.plainScenarios(2), chunk: 96 },
  'any two, queries item by item or sweeps several sessions wide': { scenarios: plan.wideScenarios, chunk: 24 },
  'near the expiry': { scenarios: plan.clockScenarios, chunk: 34 },
  'at the session limit': { scenarios: plan.limitScenarios, chunk: 9 },
  'three logins at the session limit': { scenarios: plan.crowdedScenarios, chunk: 1 },
  'one operation, one fault': { scenarios: () => plan.faultScenarios(1), chunk: 39 },
  'one operation, up to two faults': { scenarios: () => plan.faultScenarios(2), chunk: 13 },
  'one operation, up to three faults': { scenarios: () => plan.faultScenarios(3, plan.DISTINCT_FAULTS), chunk: 7 },
};
const TRIPLES = 'any three operations';
const FAULTS = 'any two operations, one fault';
const FURTHER: Readonly<Record<string, Part>> = {
  [TRIPLES]: { scenarios: () => plan.variedScenarios(3), chunk: 12 },
  [FAULTS]: { scenarios: () => plan.scenariosWithFault(2), chunk: 8 },
};

interface Job {
  readonly part: string;
  readonly from: number;
  readonly maxStates: number | undefined;
}

const PAGE = join(__dirname, '..', 'docs', 'interleavings.md');
const SEED = 1;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      triples: { type: 'boolean' },
      faults: { type: 'boolean' },
      'max-states': { type: 'string', default: '20000' },
    },
  });
  const limit = Number(values['max-states']);
  if (!Number.isSafeInteger(limit) || limit < 0) throw new Error('--max-states must be a whole number, 0 for no limit');
  const maxStates = limit === 0 ? undefined : limit;
  const further = [...(values.triples ? [TRIPLES] : []), ...(values.faults ? [FAULTS] : [])];

  let hasViolations = false;
  for (const part of further.length > 0 ? further : Object.keys(PARTS)) {
    const found = await explorePart(part, maxStates);
    process.stdout.write(describeSurvey(part, found));
    for (const violation of found.violations.slice(0, 5)) process.stdout.write(`${violation}\n`);
    hasViolations ||= found.violations.length > 0;
    updatePage((page) => withSurvey(page, part, found, new Date().toISOString().slice(0, 10)));
  }
  if (further.length === 0) {
    const caught = await catchBreakages();
    updatePage((page) => withCaught(page, caught));
  }
  process.exitCode = hasViolations ? 1 : 0;
}

function updatePage(change: (page: string) => string): void {
  writeFileSync(PAGE, change(readFileSync(PAGE, 'utf8')));
}

const partOf = (name: string): Part => {
  const part = PARTS[name] ?? FURTHER[name];
  if (part === undefined) throw new Error(`there is no part ${name}`);
  return part;
};

/** Explores all scenarios of a part, in as many processes at a time as there are processors. */
async function explorePart(name: string, maxStates: number | undefined): Promise<Survey> {
  const { scenarios, chunk } = partOf(name);
  const starts = Array.from({ length: Math.ceil(scenarios().length / chunk) }, (_, index) => index * chunk).values();
  let sum = EMPTY_SURVEY;
  const work = async (): Promise<void> => {
    for (const from of starts) {
      const found = await inChildProcess({ part: name, from, maxStates });
      sum = addSurveys(sum, found);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return sum;
}

function inChildProcess(job: Job): Promise<Survey> {
  return new Promise((resolve, reject) => {
    const child = fork(__filename, ['--job'], { execArgv: [...process.execArgv, '--max-old-space-size=8000'] });
    let found: Survey | undefined;
    child.on('message', (message) => {
      found = message as Survey;
    });
    child.on('error', reject);
    child.on('exit', (code) =>
      found === undefined ? reject(new Error(`exploring ${job.part} ended with code ${code}`)) : resolve(found),
    );
    child.send(job);
  });
}

/** What a child process does. */
function answerJob({ part, from, maxStates }: Job): void {
  const { scenarios, chunk } = partOf(part);
  survey(scenarios().slice(from, from + chunk), { maxStates, ...(maxStates === undefined ? {} : { seed: SEED }) }).then(
    (found) => process.send?.(found, () => process.disconnect()),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exit(1);
    },
  );
}

async function catchBreakages(): Promise<CaughtBreakage[]> {
  const caught: CaughtBreakage[] = [];
  for (const rule of BROKEN_RULES) {
    const { violations } = await explore(await systemOf(brokenScenario(rule)), { stopAtViolation: true });
    const [first] = violations;
    if (first !== undefined) caught.push({ name: rule.broken, ...first });
  }
  return caught;
}

if (process.argv.includes('--job')) process.once('message', (job) => answerJob(job as Job));
else
  main().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
