// SPDX-License-Identifier: Apache-2.0
/** The table that holds the sessions, and the one place where the settings of the sessions are given. */
import { RemovalPolicy, Stack, Token } from 'aws-cdk-lib';
import { AttributeType, Billing, type ITableV2, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct, type IConstruct } from 'constructs';
import type { SessionSettings } from '../lambda/settings';
import { connectFunction } from './private/connected-function';
import { ImportedSessionTable } from './private/imported-session-table';
import { resolveSettingsProps } from './private/resolve-settings-props';
import { warnOfUnprefixedCookie } from './private/unprefixed-cookie';
import type { SessionSettingsProps } from './session-settings-props';
import { SessionTableGrants } from './session-table-grants';

/** A table that holds sessions, defined here or elsewhere. */
export interface ISessionTable extends IConstruct {
  readonly tableName: string;
  readonly tableArn: string;
  /** The settings of its sessions, defaults filled in. */
  readonly settings: SessionSettings;
  /** Permissions alone. Most functions want `connect`. */
  readonly grants: SessionTableGrants;

  /**
   * Lets a function manage sessions: `grants.manageSessions` and the environment variables by which `createSessions()`
   * finds the table and its settings.
   * @throws Error for a function whose environment cannot be changed, such as an imported one
   */
  connect(handler: IFunction): void;
}

/** Props of `SessionTable`. */
export interface SessionTableProps extends SessionSettingsProps {
  /**
   * Name of the table.
   * @default - CloudFormation chooses one
   */
  readonly tableName?: string;

  /**
   * Key that encrypts the table. It adds a KMS call to some requests, and a disabled key makes every request fail.
   * Needs a stack with a known region.
   * @default - a key that DynamoDB owns, at no charge
   */
  readonly encryptionKey?: IKey;

  /**
   * Read units per second at which DynamoDB starts to throttle: a ceiling on the bill.
   * @default - none but the account's
   */
  readonly maxReadRequestUnits?: number;

  /**
   * Write units per second at which DynamoDB starts to throttle: a ceiling on the bill.
   * @default - none but the account's
   */
  readonly maxWriteRequestUnits?: number;

  /**
   * Refuse to delete the table, whoever asks.
   * @default true
   */
  readonly deletionProtection?: boolean;

  /**
   * What happens to the table when it leaves the stack.
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;
}

/** A session table that is defined elsewhere: its name or its ARN, and the settings its sessions have. */
export interface SessionTableAttributes extends SessionSettingsProps {
  /**
   * Name of the table, in this account and region.
   * @default - taken from `tableArn`
   */
  readonly tableName?: string;

  /**
   * ARN of the table.
   * @default - the table of this name in this account and region
   */
  readonly tableArn?: string;

  /**
   * Key that encrypts the table, if it is not DynamoDB's own.
   * @default - none
   */
  readonly encryptionKey?: IKey;
}

/**
 * The sessions: on-demand billing, point-in-time recovery, deletion protection, and removal of ended sessions by TTL.
 * It has one region: replication by last writer could bring an ended session back.
 *
 * @example
 * const sessions = new SessionTable(this, 'Sessions', { idleTimeout: Duration.days(7) });
 * sessions.connect(loginFunction);
 */
export class SessionTable extends Construct implements ISessionTable {
  /**
   * A table that exists, such as an application's own single table. It needs a partition and a sort key of strings, and
   * its time-to-live attribute must be the one named here; neither can be checked at synthesis.
   */
  static fromSessionTableAttributes(scope: Construct, id: string, attributes: SessionTableAttributes): ISessionTable {
    return new ImportedSessionTable(scope, id, attributes);
  }

  /** The table itself. */
  readonly table: ITableV2;
  readonly tableName: string;
  readonly tableArn: string;
  readonly settings: SessionSettings;
  readonly grants: SessionTableGrants;

  constructor(scope: Construct, id: string, props: SessionTableProps = {}) {
    super(scope, id);
    this.settings = resolveSettingsProps(props);
    warnOfUnprefixedCookie(this, this.settings.cookieName);
    const { partitionKey, sortKey, expiresAt } = this.settings.attributeNames;
    this.table = new TableV2(this, 'Table', {
      tableName: props.tableName,
      partitionKey: { name: partitionKey, type: AttributeType.STRING },
      sortKey: { name: sortKey, type: AttributeType.STRING },
      timeToLiveAttribute: expiresAt,
      billing: Billing.onDemand({
        maxReadRequestUnits: props.maxReadRequestUnits,
        maxWriteRequestUnits: props.maxWriteRequestUnits,
      }),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: props.deletionProtection ?? true,
      removalPolicy: props.removalPolicy ?? RemovalPolicy.RETAIN,
      encryption: encryptionWith(this, props.encryptionKey),
    });
    this.tableName = this.table.tableName;
    this.tableArn = this.table.tableArn;
    this.grants = new SessionTableGrants(this.tableArn, props.encryptionKey);
  }

  connect(handler: IFunction): void {
    connectFunction(this, handler);
  }
}

function encryptionWith(scope: Construct, key: IKey | undefined): TableEncryptionV2 | undefined {
  if (key === undefined) return undefined;
  if (Token.isUnresolved(Stack.of(scope).region))
    throw new Error('encryptionKey needs a stack with a known region; give the stack env: { account, region }');
  return TableEncryptionV2.customerManagedKey(key);
}
