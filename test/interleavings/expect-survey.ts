// SPDX-License-Identifier: Apache-2.0
/** Runs a survey in a test, prints its numbers, and fails with the runs that broke a rule. */
import type { Scenario } from './scenario';
import { describeSurvey, type Survey, type SurveyOptions, survey } from './survey';

export async function expectNoViolation(
  name: string,
  scenarios: readonly Scenario[],
  options: SurveyOptions = {},
): Promise<Survey> {
  const found = await survey(scenarios, options);
  process.stdout.write(describeSurvey(name, found));
  // The first few say it all; a broken rule shows up in very many scenarios.
  expect(found.violations.slice(0, 3).join('\n\n')).toBe('');
  return found;
}
