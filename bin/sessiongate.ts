#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
/** The `sessiongate` command. */
import { CREATE_SESSION_USAGE, createSessionCommand } from './create-session-command';
import { DELETE_EXPIRED_USAGE, deleteExpiredCommand } from './delete-expired-command';
import { UsageError } from './usage-error';

const USAGE = `Usage:
  ${CREATE_SESSION_USAGE}
  ${DELETE_EXPIRED_USAGE}

Documentation: node_modules/sessiongate/README.md`;

async function run(words: readonly string[]): Promise<string> {
  const [subject, action, ...options] = words;
  if (subject === undefined || subject === '--help' || subject === 'help') return USAGE;
  if (subject === 'sessions' && action === 'create') return createSessionCommand(options, process.env);
  if (subject === 'sessions' && action === 'delete-expired') return deleteExpiredCommand(options, process.env);
  throw new UsageError(
    `there is no command ${[subject, action].join(' ').trim()}; those there are: sessions create, sessions delete-expired`,
  );
}

/** One line; what the AWS SDK says (no region, no credentials) is the cause. */
function reasonOf(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure);
  const reasons = failure.cause instanceof Error ? [failure.message, failure.cause.message] : [failure.message];
  return reasons.map((reason) => reason.split('\n')[0]).join(': ');
}

run(process.argv.slice(2)).then(
  (text) => console.log(text),
  (failure: unknown) => {
    console.error(`sessiongate: ${reasonOf(failure)}`);
    process.exitCode = failure instanceof UsageError ? 2 : 1;
  },
);
