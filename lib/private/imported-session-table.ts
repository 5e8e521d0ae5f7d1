// SPDX-License-Identifier: Apache-2.0
/** A session table that is defined elsewhere. */
import { ArnFormat, Stack, Token } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { SessionSettings } from '../../lambda/settings';
import type { ISessionTable, SessionTableAttributes } from '../session-table';
import { SessionTableGrants } from '../session-table-grants';
import { connectFunction } from './connected-function';
import { resolveSettingsProps } from './resolve-settings-props';
import { warnOfUnprefixedCookie } from './unprefixed-cookie';

export class ImportedSessionTable extends Construct implements ISessionTable {
  readonly tableName: string;
  readonly tableArn: string;
  readonly settings: SessionSettings;
  readonly grants: SessionTableGrants;

  constructor(scope: Construct, id: string, attributes: SessionTableAttributes) {
    super(scope, id);
    const { tableName, tableArn, encryptionKey, ...settings } = attributes;
    this.settings = resolveSettingsProps(settings);
    warnOfUnprefixedCookie(this, this.settings.cookieName);
    if ((tableName === undefined) === (tableArn === undefined))
      throw new Error('a session table is known by tableName or by tableArn; give one of the two');
    const stack = Stack.of(this);
    this.tableArn = tableArn ?? stack.formatArn({ service: 'dynamodb', resource: 'table', resourceName: tableName });
    this.tableName = tableName ?? tableNameIn(stack, this.tableArn);
    this.grants = new SessionTableGrants(this.tableArn, encryptionKey);
  }

  connect(handler: IFunction): void {
    connectFunction(this, handler);
  }
}

function tableNameIn(stack: Stack, tableArn: string): string {
  const { resource, resourceName } = stack.splitArn(tableArn, ArnFormat.SLASH_RESOURCE_NAME);
  if ((resource !== 'table' && !Token.isUnresolved(tableArn)) || resourceName === undefined)
    throw new Error(`tableArn must be arn:<partition>:dynamodb:<region>:<account>:table/<name>, got ${tableArn}`);
  return resourceName;
}
