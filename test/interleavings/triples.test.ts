// SPDX-License-Identifier: Apache-2.0
import { expectNoViolation } from './expect-survey';
import { crowdedScenarios, variedScenarios, wideScenarios } from './plan';

/** Processors differ; these limits only end a test that hangs. */
const LONG_MILLIS = 1_200_000;

describe('more operations and wider reads than can be explored to the end in a test', () => {
  test(
    'three operations at the same time, as far as sampled',
    async () => {
      // Every combination of three, 150 states each; further by `npm run interleavings`.
      await expectNoViolation('triples, sampled', variedScenarios(3), { maxStates: 150, seed: 1 });
    },
    LONG_MILLIS,
  );

  test(
    'three logins at the session limit, as far as sampled',
    async () => {
      await expectNoViolation('logins at the limit, sampled', crowdedScenarios(), { maxStates: 3000, seed: 1 });
    },
    LONG_MILLIS,
  );

  test(
    'queries read item by item and sweeps several sessions wide, as far as sampled',
    async () => {
      await expectNoViolation('item by item and several at a time, sampled', wideScenarios(), {
        maxStates: 200,
        seed: 1,
      });
    },
    LONG_MILLIS,
  );
});
