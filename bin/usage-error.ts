// SPDX-License-Identifier: Apache-2.0
/** The command line is wrong; the message names the option and says what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
