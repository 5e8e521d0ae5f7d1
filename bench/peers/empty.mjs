// SPDX-License-Identifier: Apache-2.0
/** Nothing at all: what Node itself costs. */
import { policy } from './common.mjs';

export async function handler(event) {
  return policy(event, 'alice');
}
