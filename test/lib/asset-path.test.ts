// SPDX-License-Identifier: Apache-2.0
import { assetPath } from '../../lib/private/asset-path';

test('an asset that was not built is an error that says how to build it', () => {
  expect(() => assetPath('no-such-function')).toThrow(
    'the function no-such-function is not built; run npm run build:assets',
  );
});
