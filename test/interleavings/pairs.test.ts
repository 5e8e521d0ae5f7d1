// SPDX-License-Identifier: Apache-2.0
import { expectNoViolation } from './expect-survey';
import { clockScenarios, limitScenarios, plainScenarios } from './plan';

/** Processors differ; these limits only end a test that hangs. */
const LONG_MILLIS = 1_200_000;

describe('any two operations at the same time, in every order of their store calls', () => {
  test(
    'end no session for no reason, bring none back, and tell the truth',
    async () => {
      const { complete, scenarios } = await expectNoViolation('pairs', plainScenarios(2));

      expect(complete).toBe(scenarios);
    },
    LONG_MILLIS,
  );

  test(
    'do so while the session is about to expire',
    async () => {
      const { complete, scenarios } = await expectNoViolation('pairs near the expiry', clockScenarios());

      expect(complete).toBe(scenarios);
    },
    LONG_MILLIS,
  );

  test(
    'leave as many sessions as the limit allows',
    async () => {
      const { complete, scenarios } = await expectNoViolation('pairs at the session limit', limitScenarios());

      expect(complete).toBe(scenarios);
    },
    LONG_MILLIS,
  );
});
