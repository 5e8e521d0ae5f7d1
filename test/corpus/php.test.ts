// SPDX-License-Identifier: Apache-2.0
/** The corpus's lines on PHP: items that the handler stored, and ids. */
import { isPhpSessionId } from '../../lambda/legacy/php/php-session-id';
import { readPhpItem } from '../../lambda/legacy/php/read-php-item';
import { corpusLines, NOW, titleOf, USER } from './corpus';

describe('an item of the PHP handler', () => {
  const lines = corpusLines('item', ({ input }) => input?.mode === 'php');
  it.each(lines.map((line) => [titleOf(line), line] as const))('%s', (_, line) => {
    const outcome = readPhpItem(line.input.item, { now: NOW, userPath: 'user_id' });
    expect('session' in outcome ? 'allow' : 'deny').toBe(line.expect);
    if ('session' in outcome) expect([USER, '42']).toContain(outcome.session.user);
  });
});

describe('a PHP session id', () => {
  const lines = corpusLines('token', ({ input }) => input.fn === 'php-id');
  it.each(lines.map((line) => [titleOf(line), line] as const))('%s', (_, line) => {
    expect(isPhpSessionId(line.input.value) ? 'allow' : 'deny').toBe(line.expect);
  });
});
