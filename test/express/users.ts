// SPDX-License-Identifier: Apache-2.0
/** Stands in for a team's own users, in the documented application. */
export async function checkPassword(username: string, password: unknown): Promise<boolean> {
  return username === 'alice' && password === 'correct horse';
}
