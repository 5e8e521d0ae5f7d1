// SPDX-License-Identifier: Apache-2.0
/** What a function may do with the sessions of an older system: each thing as a statement of its own. */
import { Arn, ArnFormat, Stack, Token } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, type PolicyStatementProps } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { LegacyKeysProps } from '../legacy-sessions-props';
import { keysBeginningWith } from './leading-keys';

/** `admit` reads them, `end` ends them at logout, `moveIn` reads them and ends what has moved in. */
export type LegacyUse = 'admit' | 'end' | 'moveIn';

const SIDS: Readonly<Record<LegacyUse, string>> = {
  admit: 'ReadLegacyTable',
  end: 'EndLegacySessions',
  moveIn: 'MoveInLegacySessions',
};

/** A part of a table. */
export interface LegacyStorage {
  readonly table: ITable;
  /** What the partition keys of the sessions begin with; empty where they begin with anything. */
  readonly keyPrefix: string;
}

/** @param isSigned whether a cookie proves that its session was issued */
export function allowLegacyTable(
  handler: IFunction,
  { table, keyPrefix }: LegacyStorage,
  position: number,
  use: LegacyUse,
  isSigned: boolean,
): void {
  requireSamePlace(table, handler);
  // An ID that nothing signed may be made up: it is read before anything is written.
  const reads = use !== 'end' || !isSigned;
  const ends = use !== 'admit';
  const actions = [...(reads ? ['dynamodb:GetItem'] : []), ...(ends ? ['dynamodb:DeleteItem'] : [])];
  const conditions = keyPrefix === '' ? undefined : keysBeginningWith(keyPrefix);
  allow(handler, `${SIDS[use]}${position}`, actions, table.tableArn, conditions);
  if (ends) table.encryptionKey?.grantEncryptDecrypt(handler);
  else table.encryptionKey?.grantDecrypt(handler);
}

export function allowLegacyKeys(handler: IFunction, { secret, parameter }: LegacyKeysProps, position: number): void {
  const sid = `ReadLegacyKeys${position}`;
  if (secret !== undefined) {
    requireSameRegion(secret, handler);
    // Six random characters end the ARN of a secret that is known by its name only.
    const arn = secret.secretFullArn ?? `${secret.secretArn}-??????`;
    allow(handler, sid, ['secretsmanager:GetSecretValue'], arn);
    secret.encryptionKey?.grantDecrypt(handler);
  }
  if (parameter !== undefined) {
    allow(handler, sid, ['ssm:GetParameter'], parameter.parameterArn);
    keyOf(parameter)?.grantDecrypt(handler);
  }
}

function allow(
  handler: IFunction,
  sid: string,
  actions: string[],
  resource: string,
  conditions?: PolicyStatementProps['conditions'],
): void {
  const statement = new PolicyStatement({ sid, actions, resources: [resource], ...(conditions && { conditions }) });
  handler.grantPrincipal.addToPrincipalPolicy(statement);
}

/** A function is told the table's name, and asks for it where it is itself. */
function requireSamePlace(table: ITable, handler: IFunction): void {
  const { account, region } = Token.isUnresolved(table.tableArn)
    ? table.env
    : Arn.split(table.tableArn, ArnFormat.SLASH_RESOURCE_NAME);
  const stack = Stack.of(handler);
  for (const [what, there, here] of [
    ['region', region, stack.region],
    ['account', account, stack.account],
  ])
    if (isKnown(there) && isKnown(here) && there !== here)
      throw new Error(
        `the older table ${table.node.path} is in ${what} ${there}, and the function ${handler.node.path} in ${here}: ` +
          'it is told the name of the table only; define it where the table is',
      );
}

/** It is read by the function's client, of its own region. */
function requireSameRegion({ secretArn, node }: ISecret, handler: IFunction): void {
  const there = Token.isUnresolved(secretArn) ? undefined : Arn.split(secretArn, ArnFormat.COLON_RESOURCE_NAME).region;
  const here = Stack.of(handler).region;
  if (isKnown(there) && isKnown(here) && there !== here)
    throw new Error(
      `the secret ${node.path} is in region ${there}, and the function ${handler.node.path} in ${here}: replicate it there`,
    );
}

function isKnown(value: string | undefined): value is string {
  return value !== undefined && !Token.isUnresolved(value);
}

/** Parameters that are encrypted with a key of one's own know it; the interface does not say so. */
function keyOf(parameter: object): IKey | undefined {
  return (parameter as { readonly encryptionKey?: IKey }).encryptionKey;
}
