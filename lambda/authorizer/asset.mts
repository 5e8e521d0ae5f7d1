// SPDX-License-Identifier: Apache-2.0
/** Entry of the authorizer's asset: ready only once the first connection stands. */
import { handler, warmUp } from './handler.js';

await warmUp();

export { handler };
