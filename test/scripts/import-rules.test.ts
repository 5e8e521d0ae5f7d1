// SPDX-License-Identifier: Apache-2.0
/** The rules of who may import whom bite where they should, and only there. */
import { importViolations } from '../../scripts/import-rules';

const imports = (specifier: string) => `import { x } from '${specifier}';\n`;

test.each([
  ['lambda/settings.ts', './session'],
  ['lambda/environment.ts', './settings'],
  ['lambda/session/token.ts', '../authorizer/policy'],
  ['lambda/session/token.ts', '../../lib'],
  ['lambda/session/token.ts', '@aws-sdk/client-dynamodb'],
  ['lambda/legacy/secrets.ts', '@aws-sdk/client-ssm'],
  ['lambda/legacy/aws-secrets.ts', '@aws-sdk/client-dynamodb'],
  ['lambda/session/lifecycle/session.ts', '../../session-api/route'],
  ['lambda/authorizer/policy.ts', '../legacy/express-cookie'],
  ['lambda/authorizer/policy.ts', '../authorizer-legacy/handler'],
  ['lambda/authorizer/policy.ts', 'fs'],
  ['lambda/legacy/php-session.ts', '../authorizer/policy'],
  ['lib/session-api.ts', '../lambda/session/token'],
  ['lib/session-api.ts', '../lambda/authorizer'],
  ['lib/private/asset-path.ts', '../../local/rest-api'],
  ['lib/session-api.ts', 'cdk-nag'],
  ['bin/sessiongate.ts', '../local/main'],
  ['local/main.ts', '../test/lib/synthesis'],
])('%s may not import %s', (fileName, specifier) => {
  expect(importViolations(fileName, imports(specifier))).toEqual([
    expect.stringContaining(`${fileName} imports ${specifier}, but `),
  ]);
});

test.each([
  ['lambda/session/token.ts', 'node:crypto'],
  ['lambda/session/lifecycle/session.ts', '../../settings'],
  ['lambda/session/dynamodb-session-store.ts', '@aws-sdk/client-dynamodb'],
  ['lambda/session/dynamodb-session-store.ts', './store'],
  ['lambda/authorizer/policy.ts', '../session/token'],
  ['lambda/authorizer/event-kind.ts', 'aws-lambda'],
  ['lambda/authorizer-legacy/handler.ts', '../authorizer/create-authorizer'],
  ['lambda/legacy/aws-secrets.ts', '@aws-sdk/client-ssm'],
  ['lib/private/asset-path.ts', '../../lambda/settings'],
  ['lib/session-api.ts', 'aws-cdk-lib/aws-apigateway'],
  ['bin/sessiongate.ts', '../lambda/session'],
  ['local/main.ts', '../lambda/session-api/handler'],
  ['test/lib/synthesis.ts', '../../lib'],
])('%s may import %s', (fileName, specifier) => {
  expect(importViolations(fileName, imports(specifier))).toEqual([]);
});

test.each([
  ['a re-export', "export { x } from '../../lib';"],
  ['a type', "import type { x } from '../../lib';"],
  ['a dynamic import', "const lib = await import('../../lib');"],
  ['a require', "const lib = require('../../lib');"],
  ['an import type', "type Lib = typeof import('../../lib');"],
])('%s counts as an import', (_name, source) => {
  expect(importViolations('lambda/session/token.ts', source)).toHaveLength(1);
});
