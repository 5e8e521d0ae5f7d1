// SPDX-License-Identifier: Apache-2.0
/** A living instance: runs batches of calls one after the other, and says what processor time each batch took. */
import { readFileSync } from 'node:fs';

const { file, event } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const { handler } = await import(file);

async function batch(calls) {
  const before = process.cpuUsage();
  const started = performance.now();
  for (let call = 0; call < calls; call++) await handler(event);
  const { user, system } = process.cpuUsage(before);
  return { cpuMillis: (user + system) / 1000, wallMillis: performance.now() - started };
}

process.on('message', async ({ calls }) => process.send(await batch(calls)));
process.on('disconnect', () => process.exit());
process.send({ ready: true });
