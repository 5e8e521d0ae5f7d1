// SPDX-License-Identifier: Apache-2.0
/** The scheduled function that deletes expired sessions from a table without TTL. */

import { isPlainRecord } from '../session/attribute';
import { settingsFromEnvironment } from '../session/environment-settings';
import { type DeleteExpiredResult, deleteExpired } from '../session/lifecycle/delete-expired';
import type { DeleteExpiredOptions } from '../session/lifecycle/delete-expired-options';
import { ConfigurationError } from '../settings';

/** Ends before Lambda would cut it off, so that what was done is reported. The next run takes the parts in another order. */
const REPORTING_MILLIS = 10_000;

const OPTIONS = [
  'marginSeconds',
  'segments',
  'concurrency',
  'maxReadUnitsPerSecond',
  'maxWriteUnitsPerSecond',
] as const;

/**
 * @param event `{ "deleteExpired": { … } }` as the schedule's input, with the limits of `deleteExpired`; anything else: defaults
 * @throws what stopped the run, so that it counts as an error of the function; what was deleted stays deleted
 */
export async function handler(
  event: unknown,
  context: { getRemainingTimeInMillis(): number },
): Promise<DeleteExpiredResult> {
  const { tableName, settings, endpoint } = settingsFromEnvironment(process.env);
  const result = await deleteExpired({
    ...optionsFrom(event),
    tableName,
    attributeNames: settings.attributeNames,
    endpoint,
    signal: AbortSignal.timeout(Math.max(0, context.getRemainingTimeInMillis() - REPORTING_MILLIS)),
  });
  const { failure, ...counts } = result;
  console.log(JSON.stringify({ deleteExpired: counts }));
  if (failure !== undefined) throw failure;
  return counts;
}

/** @throws ConfigurationError naming an option that there is not */
function optionsFrom(event: unknown): Partial<DeleteExpiredOptions> {
  const given = isPlainRecord(event) ? event.deleteExpired : undefined;
  if (!isPlainRecord(given)) return {};
  const unknown = Object.keys(given).find((name) => !(OPTIONS as readonly string[]).includes(name));
  if (unknown !== undefined)
    throw new ConfigurationError(`deleteExpired.${unknown} is not an option; the options are ${OPTIONS.join(', ')}`);
  return given;
}
