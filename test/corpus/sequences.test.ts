// SPDX-License-Identifier: Apache-2.0
/** The corpus's sequences of operations, interrupted between read and write; the last step's outcome counts. */
import { corpusLines, titleOf } from './corpus';
import { SequenceWorld } from './sequence';

const lines = corpusLines('sequence');

it.each(lines.map((line) => [titleOf(line), line] as const))('%s', async (_, line) => {
  const world = new SequenceWorld(line.id, line.input);

  expect(await world.play(line.input)).toBe(line.expect);
});

it('never creates anything for an unknown token', async () => {
  const world = new SequenceWorld('unknown', []);

  expect(await world.play(Array.from({ length: 100 }, () => ['check', 'ATTACKER_CHOSEN'] as const))).toBe('deny');
  expect(world.itemCount).toBe(0);
});
