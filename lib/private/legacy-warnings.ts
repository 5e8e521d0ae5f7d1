// SPDX-License-Identifier: Apache-2.0
/** What synthesis says of older systems that will work otherwise than their team may think. */
import { Annotations, type Duration } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { SessionSettings } from '../../lambda/settings';
import type { LegacySessions } from '../legacy-sessions';

export function warnOfLegacy(
  scope: Construct,
  sessions: readonly LegacySessions[],
  startedAfter: number | undefined,
  { userRecordAttribute }: SessionSettings,
): void {
  const warn = (id: string, text: string): void => Annotations.of(scope).addWarningV2(`sessiongate:${id}`, text);
  if (sessions.length > 0 && userRecordAttribute !== undefined)
    warn(
      'legacyUserRecord',
      'userRecordAttribute is not read for legacySessions: while users move in, end their sessions with revokeAll',
    );
  if (startedAfter !== undefined && startedAfter * 1000 > Date.now())
    warn(
      'legacyStartedAfter',
      `legacyStartedAfter lies ahead (${dateOf(startedAfter)}): until then every older session is refused`,
    );
  for (const { _sourceName, _acceptUntil } of sessions)
    if (_acceptUntil !== undefined && _acceptUntil * 1000 <= Date.now())
      warn(
        'legacyAcceptUntil',
        `acceptUntil of ${_sourceName} is past (${dateOf(_acceptUntil)}): none of its sessions is accepted; remove them from legacySessions`,
      );
}

/** Lambda's default. */
const DEFAULT_TIMEOUT_SECONDS = 3;

/** Two tries for keys or an older table, and what else the request does. */
const NEEDED_TIMEOUT_SECONDS = 10;

/** What does not answer in time is told by the function, unless its own time is over before. */
export function warnOfShortTimeout(handler: IFunction): void {
  const { timeout } = handler as { readonly timeout?: Duration };
  if (timeout?.isUnresolved()) return;
  const seconds = timeout?.toSeconds() ?? DEFAULT_TIMEOUT_SECONDS;
  if (seconds >= NEEDED_TIMEOUT_SECONDS) return;
  Annotations.of(handler).addWarningV2(
    'sessiongate:legacyTimeout',
    `timeout of ${handler.node.path} is ${seconds} seconds: where the keys or the table of an older system do not answer, its requests end ` +
      `before it can say so, in a dry run too; give it ${NEEDED_TIMEOUT_SECONDS} while users move in`,
  );
}

function dateOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
