// SPDX-License-Identifier: Apache-2.0
/** The corpus's sequences of operations, interrupted between read and write; the last step's outcome counts. */
import { corpusLines, titleOf } from './corpus';
import { SequenceWorld } from './sequence';

const lines = corpusLines('sequence');

it.each(lines.map((line) => [titleOf(line), line] as const))('%s', async (_, line) => {
  const world = new SequenceWorld(line.id, line.input);

  expect(await world.play(line.input)).toBe(line.expect);
});

it.each(['rotate', 'save', 'renew', 'logout', 'migrate', 'legacy-logout'])(
  'never creates anything for an unknown token or cookie: %s',
  async (operation) => {
    const world = new SequenceWorld('unknown', []);

    await world.play([[operation, 'ATTACKER_CHOSEN', 'A']]);

    expect(await world.countItems()).toBe(0);
  },
);
