// SPDX-License-Identifier: Apache-2.0
import { BREAKAGES, BROKEN_RULES, brokenScenario } from './broken-rules';
import { explore } from './explore';
import { systemOf } from './scenario';

/** An explorer that finds nothing anywhere proves nothing: each rule of the lifecycle, taken out, must show. */
describe('the explorer catches the library without one of its rules', () => {
  test('and knows every such rule', () => {
    expect(BROKEN_RULES.map(({ broken }) => broken).sort()).toEqual(Object.keys(BREAKAGES).sort());
  });

  test.each(BROKEN_RULES)('$broken', async (rule) => {
    const intact = await explore(await systemOf(rule.scenario));
    const broken = await explore(await systemOf(brokenScenario(rule)));

    const caught = broken.violations.find(({ message }) => message.startsWith(rule.breaks));
    expect(intact.violations).toEqual([]);
    expect(broken.violations.map(({ message }) => message).join('\n')).toContain(rule.breaks);
    process.stdout.write(`${rule.broken}: ${caught?.message}, after ${caught?.trace.length} steps\n`);
  });
});
