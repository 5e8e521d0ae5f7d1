// SPDX-License-Identifier: Apache-2.0
/** Says of the props of older systems what a compiler would, for whoever has none. */
import { Token } from 'aws-cdk-lib';
import { type OptionNames, refuseUnknownOptions } from '../../lambda/known-options';
import type { LegacyKind } from '../../lambda/legacy-settings';
import { ConfigurationError } from '../../lambda/settings';
import {
  type CookieSessionsProps,
  CookieSignatureAlgorithm,
  type ExpressSessionsProps,
  ExpressStorePackage,
  type LegacyKeysProps,
  type LegacySessionsProps,
  PhpSessionFormat,
  type PhpSessionsProps,
  type SignedSessionsProps,
} from '../legacy-sessions-props';

interface PropsOfKind {
  readonly expressSession: ExpressSessionsProps;
  readonly cookieSession: CookieSessionsProps;
  readonly signedSession: SignedSessionsProps;
  readonly php: PhpSessionsProps;
}

const KEYS: OptionNames<LegacyKeysProps> = { secret: true, parameter: true };
const ALL: OptionNames<LegacySessionsProps> = {
  sourceName: true,
  cookieName: true,
  createdAtPath: true,
  csrfTokenPath: true,
  cookiePath: true,
  cookieDomain: true,
};
const LOGIN = { userPath: true, acceptUntil: true } as const;

const PROPS: { readonly [Kind in LegacyKind]: OptionNames<PropsOfKind[Kind]> } = {
  expressSession: { table: true, storePackage: true, ...KEYS, ...ALL, ...LOGIN, hashKey: true, prefix: true },
  cookieSession: { ...KEYS, ...ALL, ...LOGIN, algorithm: true, loginIdPath: true },
  signedSession: { ...KEYS, movesIn: true, sourceName: true, cookieName: true, epoch: true },
  php: {
    table: true,
    ...ALL,
    ...LOGIN,
    sessionName: true,
    format: true,
    expiresAtPath: true,
    hashKey: true,
    dataAttribute: true,
    sessionLifetimeAttribute: true,
  },
};

/** Names that other parts of the package have for the same thing. */
const HINTS = {
  tableName: 'the table is table, such as Table.fromTableName(this, …)',
  package: 'the package is storePackage',
  secrets: 'the keys are in secret or in parameter',
  keys: 'the keys are in secret or in parameter',
  name: 'the name of the cookie is cookieName',
};

/** Such values, with how to come by one. */
const CONSTRUCTS = {
  table: { attribute: 'tableName', what: 'a table', how: "Table.fromTableName(this, 'OldSessions', 'name')" },
  secret: { attribute: 'secretArn', what: 'a secret', how: "Secret.fromSecretNameV2(this, 'OldKeys', 'name')" },
  parameter: {
    attribute: 'parameterName',
    what: 'a parameter',
    how: "StringParameter.fromSecureStringParameterAttributes(this, 'OldKeys', { parameterName: '/name' })",
  },
} as const;

const ENUMS = {
  storePackage: { name: 'ExpressStorePackage', values: Object.values<string>(ExpressStorePackage) },
  algorithm: { name: 'CookieSignatureAlgorithm', values: Object.values<string>(CookieSignatureAlgorithm) },
  format: { name: 'PhpSessionFormat', values: Object.values<string>(PhpSessionFormat) },
} as const;

const REQUIRED: ReadonlySet<string> = new Set(['table', 'storePackage']);
const TEXTS = ['hashKey', 'prefix', 'dataAttribute', 'sessionLifetimeAttribute'];

/** @throws ConfigurationError naming the prop, and what to pass */
export function checkLegacyProps<Kind extends LegacyKind>(kind: Kind, props: PropsOfKind[Kind]): void {
  refuseUnknownOptions(props, PROPS[kind], HINTS);
  const given = (prop: string) => (props as Readonly<Record<string, unknown>>)[prop];
  const isGiven = (prop: string) => prop in PROPS[kind] && (REQUIRED.has(prop) || given(prop) !== undefined);

  for (const [prop, { attribute, what, how }] of Object.entries(CONSTRUCTS).filter(([prop]) => isGiven(prop))) {
    const value = given(prop);
    // The value itself may be the secret.
    if (typeof value !== 'object' || value === null || !(attribute in value))
      throw new ConfigurationError(`${prop} must be ${what} of aws-cdk-lib, got ${kindOf(value)}; pass ${how}`);
  }
  for (const [prop, { name, values }] of Object.entries(ENUMS).filter(([prop]) => isGiven(prop)))
    if (!values.includes(given(prop) as string))
      throw new ConfigurationError(
        `${prop} must be one of ${values.join(', ')}, got ${String(given(prop))}; pass one of ${name}`,
      );
  for (const prop of TEXTS.filter(isGiven))
    if (typeof given(prop) !== 'string')
      throw new ConfigurationError(`${prop} must be text, got ${kindOf(given(prop))}`);
  if (isGiven('movesIn') && typeof given('movesIn') !== 'boolean')
    throw new ConfigurationError(`movesIn must be true or false, got ${kindOf(given('movesIn'))}`);
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  return Token.isUnresolved(value) ? 'a token' : `a value of type ${typeof value}`;
}
