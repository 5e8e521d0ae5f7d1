// SPDX-License-Identifier: Apache-2.0
/** Something outside the code keeps the local stack from starting; the message is all that is shown. */

/** The message is one sentence that names the option and says what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
