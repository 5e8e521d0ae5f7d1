// SPDX-License-Identifier: Apache-2.0
/** The whole template: its shape as a snapshot, so that a review sees every change, and what a linter says of it. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Duration } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { SessionMonitoring, SessionStack } from '../../lib';
import { createApp, createFunction } from './synthesis';

function templateOf(stack: SessionStack): object {
  return Template.fromStack(stack).toJSON();
}

/** Hashes of assets and of what a deployment holds change with every line of code. */
function masked(template: object): object {
  const text = JSON.stringify(template)
    .replace(/\b[0-9a-f]{64}\b/g, '<asset>')
    .replace(/(Deployment[0-9A-F]{8})[0-9a-f]{32}/g, '$1<hash>');
  return JSON.parse(text);
}

test('is the one that was reviewed', () => {
  expect(masked(templateOf(new SessionStack(createApp(), 'Sessions')))).toMatchSnapshot();
});

const hasLinter = spawnSync('cfn-lint', ['--version']).status === 0;
if (!hasLinter) console.info('template: not linted, cfn-lint is not installed');

(hasLinter ? test : test.skip)('of everything at once satisfies cfn-lint', () => {
  const stack = new SessionStack(createApp(), 'Sessions', {
    allowedOrigins: ['https://app.example.com'],
    idleTimeout: Duration.days(1),
    userRecordAttribute: 'sessions_valid_after',
    domainName: 'api.example.com',
    certificateArn: 'arn:aws:acm:eu-west-1:111122223333:certificate/00000000-0000-0000-0000-000000000000',
    maxReadRequestUnits: 1000,
    maxWriteRequestUnits: 100,
    cloudWatchRole: true,
    attachRestApiIds: ['a1b2c3d4e5'],
    attachHttpApiIds: ['b1b2c3d4e5'],
    attachWebSocketApiIds: ['c1b2c3d4e5'],
  });
  stack.api.addLoginHandler(createFunction(stack));
  const { authorizerFunction, sessionTable } = stack;
  new SessionMonitoring(stack, 'Monitoring', { authorizerFunction, sessionTable }).addStoreFaultAlarm();
  const folder = mkdtempSync(join(tmpdir(), 'sessiongate-lint-'));
  const file = join(folder, 'template.json');
  writeFileSync(file, JSON.stringify(templateOf(stack)));

  // W3005: the CDK states dependencies that a reference implies already.
  const { status, stdout } = spawnSync('cfn-lint', ['-i', 'W3005', '--', file], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });

  expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
});
