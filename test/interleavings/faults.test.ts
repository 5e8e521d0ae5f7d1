// SPDX-License-Identifier: Apache-2.0
import { expectNoViolation } from './expect-survey';
import { FAULTS } from './fault';
import { faultScenarios, scenariosWithFault } from './plan';

/** Processors differ; these limits only end a test that hangs. */
const LONG_MILLIS = 1_200_000;

describe('an operation hit by a fault at any of its store calls', () => {
  test(
    'holds its promises, alone',
    async () => {
      const { complete, scenarios, faults } = await expectNoViolation('one fault', faultScenarios(1));

      expect(complete).toBe(scenarios);
      for (const fault of FAULTS) expect(faults[fault]).toBeGreaterThan(0);
    },
    LONG_MILLIS,
  );

  test(
    'holds them when a second fault follows, as far as sampled',
    async () => {
      await expectNoViolation('two faults, sampled', faultScenarios(2), { maxStates: 400, seed: 1 });
    },
    LONG_MILLIS,
  );

  test(
    'holds them together with any other operation, as far as sampled',
    async () => {
      // One in three scenarios, 300 states each; the whole is explored by `npm run interleavings`.
      const scenarios = scenariosWithFault(2).filter((_, index) => index % 3 === 0);

      const { states } = await expectNoViolation('pairs with one fault, sampled', scenarios, {
        maxStates: 300,
        seed: 1,
      });

      expect(states).toBeGreaterThan(10_000);
    },
    LONG_MILLIS,
  );
});
