// SPDX-License-Identifier: Apache-2.0
/** One cold start: loads a handler, calls it once, and says what that took of this fresh process. */
import { readFileSync } from 'node:fs';

const { file, event } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const started = performance.now();
const { handler } = await import(file);
const loaded = performance.now();
const result = await handler(event);
const answered = performance.now();
const cpu = process.cpuUsage();
if (result?.policyDocument?.Statement?.[0]?.Effect !== 'Allow') throw new Error('the handler did not admit');
const report = {
  loadMillis: loaded - started,
  firstCallMillis: answered - loaded,
  cpuMillis: (cpu.user + cpu.system) / 1000,
  peakKilobytes: process.resourceUsage().maxRSS,
};
process.send(report, () => process.exit());
