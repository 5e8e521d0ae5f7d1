// SPDX-License-Identifier: Apache-2.0
/** Loads the built authorizer as Lambda would and answers the events on standard input, one JSON line each. */
import { createInterface } from 'node:readline';

const { handler } = await import(process.argv[2]);
for await (const line of createInterface({ input: process.stdin })) {
  const outcome = await handler(JSON.parse(line)).then(
    (result) => ({ result }),
    (error) => ({ error: `${error.name}: ${error.message}` }),
  );
  process.stdout.write(`outcome ${JSON.stringify(outcome)}\n`);
}
