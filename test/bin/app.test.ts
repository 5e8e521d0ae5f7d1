// SPDX-License-Identifier: Apache-2.0
/** The CDK app of this checkout as the `cdk` command runs it: one message for what is wrong, and nothing else. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(__dirname, '../..');
const output = mkdtempSync(join(tmpdir(), 'sessiongate-app-'));
afterAll(() => rmSync(output, { recursive: true, force: true }));

/** The command tells its app by these variables where to write, and what `-c` said. */
function synthesize(context: Record<string, string>, outdir: string) {
  const { status, stderr } = spawnSync(process.execPath, ['--import', 'tsx', 'bin/app.ts'], {
    cwd: root,
    encoding: 'utf8',
    env: {
      PATH: process.env.PATH,
      CDK_VALIDATION: 'false',
      CDK_OUTDIR: outdir,
      CDK_CONTEXT_JSON: JSON.stringify(context),
    },
  });
  return { status, stderr, template: existsSync(join(outdir, 'Sessiongate.template.json')) };
}

test('what the constructs refuse is said once, and nothing is written', () => {
  expect(synthesize({ domainName: 'api.example.com' }, join(output, 'refused'))).toEqual({
    status: 1,
    stderr: 'domainName and certificateArn must be given together\n',
    template: false,
  });
});

test('without a fault the stack is written', () => {
  const { status, template } = synthesize({}, join(output, 'written'));

  expect({ status, template }).toEqual({ status: 0, template: true });
});
