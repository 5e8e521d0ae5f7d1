// SPDX-License-Identifier: Apache-2.0
/** Which folder may import which: imports point one way, and DynamoDB is known in few places. */
import { builtinModules } from 'node:module';
import { dirname, join, normalize } from 'node:path';
import { preProcessFile } from 'typescript';

/** A part of the project and what its files may import besides each other and Node.js; the longest match applies. */
export interface ImportRule {
  readonly part: string;
  readonly parts: readonly string[];
  readonly packages: readonly string[];
}

const LEGACY_SETTINGS = 'lambda/legacy-settings.ts';
const SETTINGS = ['lambda/settings.ts', 'lambda/environment.ts', 'lambda/known-options.ts', LEGACY_SETTINGS];
const CDK = ['aws-cdk-lib', 'constructs'];
const DYNAMODB = '@aws-sdk/client-dynamodb';

export const IMPORT_RULES: readonly ImportRule[] = [
  { part: 'lambda/environment.ts', parts: [], packages: [] },
  { part: 'lambda/settings.ts', parts: [], packages: [] },
  { part: 'lambda/known-options.ts', parts: ['lambda/settings.ts'], packages: [] },
  { part: 'lambda/metrics.ts', parts: [], packages: [] },
  { part: LEGACY_SETTINGS, parts: ['lambda/settings.ts'], packages: [] },
  { part: 'lambda/session', parts: SETTINGS, packages: [] },
  { part: 'lambda/authorizer', parts: ['lambda/session', 'lambda/metrics.ts', ...SETTINGS], packages: [] },
  { part: 'lambda/session-api', parts: ['lambda/session', ...SETTINGS], packages: [] },
  { part: 'lambda/maintenance', parts: ['lambda/session', ...SETTINGS], packages: [] },
  { part: 'lambda/legacy', parts: ['lambda/session', ...SETTINGS], packages: [] },
  {
    part: 'lambda/authorizer-legacy',
    parts: ['lambda/authorizer', 'lambda/legacy', 'lambda/session', 'lambda/metrics.ts', ...SETTINGS],
    packages: [],
  },
  {
    part: 'lambda/session-api-legacy',
    parts: ['lambda/session-api', 'lambda/legacy', 'lambda/session', ...SETTINGS],
    packages: [],
  },
  { part: 'lambda/express', parts: ['lambda/session', ...SETTINGS], packages: ['express-session'] },
  { part: 'lib', parts: ['lambda/metrics.ts', ...SETTINGS], packages: CDK },
  { part: 'bin', parts: ['lib', 'lambda/session', ...SETTINGS], packages: [...CDK, 'cdk-nag', DYNAMODB] },
  {
    part: 'local',
    parts: ['lib', 'lambda', 'cdk.json'],
    packages: [...CDK, DYNAMODB, 'dynalite', 'esbuild', 'selfsigned', 'ws'],
  },
];

/** The only functions' files that know a client of AWS. DynamoDB's: the stores, and the reader that the fast one is held against. */
const CLIENT_FILES: Readonly<Record<string, readonly RegExp[]>> = {
  [DYNAMODB]: [
    /^lambda\/session\/dynamodb-[\w-]+\.ts$/,
    /^lambda\/authorizer\/sdk-session-reader\.ts$/,
    /^lambda\/legacy\/php\/php-table\.ts$/,
  ],
  '@aws-sdk/client-secrets-manager': [/^lambda\/legacy\/aws-secrets\.ts$/],
  '@aws-sdk/client-ssm': [/^lambda\/legacy\/aws-secrets\.ts$/],
};

/**
 * What a file imports against the rules, each as one sentence. `fileName` is relative to the project's root; a file of
 * no part of the table may import anything.
 */
export function importViolations(fileName: string, source: string): string[] {
  const rule = IMPORT_RULES.filter(({ part }) => isWithin(fileName, part)).sort(
    (one, other) => other.part.length - one.part.length,
  )[0];
  if (rule === undefined) return [];
  return preProcessFile(source, true, true)
    .importedFiles.map(({ fileName: specifier }) => specifier)
    .filter((specifier) => !isAllowed(rule, fileName, specifier))
    .map((specifier) => `${fileName} imports ${specifier}, but ${rule.part} may import only ${describe(rule)}`);
}

function isAllowed(rule: ImportRule, fileName: string, specifier: string): boolean {
  if (specifier.startsWith('.')) {
    const target = normalize(join(dirname(fileName), specifier));
    return [rule.part, ...rule.parts].some((part) => isWithin(target, part) || isWithin(`${target}.ts`, part));
  }
  // The AWS event types are declarations: nothing of them is left at run time.
  if (specifier === 'aws-lambda' || specifier.startsWith('node:')) return true;
  if (builtinModules.includes(specifier)) return false;
  if (CLIENT_FILES[specifier]?.some((file) => file.test(fileName))) return true;
  return rule.packages.some((name) => specifier === name || specifier.startsWith(`${name}/`));
}

function isWithin(path: string, part: string): boolean {
  return path === part || path.startsWith(`${part}/`);
}

function describe(rule: ImportRule): string {
  return [...rule.parts, ...rule.packages, 'node:*'].join(', ');
}
