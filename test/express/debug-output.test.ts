// SPDX-License-Identifier: Apache-2.0
/** What express-session prints when it is debugged. */
import { hashSessionToken } from '../../lambda/session/token';
import { printed } from './debug-output';
import { tokenOf, world } from './world';

test('names sessions, and holds no token', async () => {
  const { browser } = await world();
  const tokens: string[] = [];
  for (const path of ['/visit', '/login?user=alice', '/visit', '/me']) {
    await browser.get(path);
    tokens.push(tokenOf(browser));
  }
  await browser.get('/logout');

  const output = printed.join('\n');
  for (const token of tokens) {
    expect(output).toContain(hashSessionToken(token));
    expect(output).not.toContain(token);
  }
});
