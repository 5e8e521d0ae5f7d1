// SPDX-License-Identifier: Apache-2.0
/** Permissions on a session table: each verb names what it is for and lists the DynamoDB actions it gives. */
import { Grant, type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { keysBeginningWith } from './private/leading-keys';

const SESSION_KEYS = keysBeginningWith('S#');

/** Gives functions access to the sessions of one table; pure IAM, see `connect` for the settings. */
export class SessionTableGrants {
  constructor(
    private readonly tableArn: string,
    private readonly encryptionKey?: IKey,
  ) {}

  /** Read one session by its key: `dynamodb:GetItem` on session items of the table. No index, no query, no scan. */
  readSession(grantee: IGrantable): Grant {
    this.encryptionKey?.grantDecrypt(grantee);
    return this.grant(grantee, ['dynamodb:GetItem'], SESSION_KEYS);
  }

  /** Slide the idle timeout of a session: `dynamodb:UpdateItem` on session items of the table. */
  renewSession(grantee: IGrantable): Grant {
    this.encryptionKey?.grantEncryptDecrypt(grantee);
    return this.grant(grantee, ['dynamodb:UpdateItem'], SESSION_KEYS);
  }

  /**
   * Read the application's own user record, whatever its key: `dynamodb:GetItem` on the table, as a statement of its
   * own named `ReadUserRecord`.
   */
  readUserRecord(grantee: IGrantable): void {
    this.encryptionKey?.grantDecrypt(grantee);
    grantee.grantPrincipal.addToPrincipalPolicy(
      new PolicyStatement({ sid: 'ReadUserRecord', actions: ['dynamodb:GetItem'], resources: [this.tableArn] }),
    );
  }

  /**
   * Read what decides on sessions of older systems: `dynamodb:GetItem` on claims (`SL#`) and on user items (`SU#`), as
   * statements of their own named `ReadLegacyClaims` and `ReadUsers`.
   */
  readLegacyClaims(grantee: IGrantable): void {
    this.encryptionKey?.grantDecrypt(grantee);
    for (const [sid, prefix] of [
      ['ReadLegacyClaims', 'SL#'],
      ['ReadUsers', 'SU#'],
    ] as const)
      grantee.grantPrincipal.addToPrincipalPolicy(
        new PolicyStatement({
          sid,
          actions: ['dynamodb:GetItem'],
          resources: [this.tableArn],
          conditions: keysBeginningWith(prefix),
        }),
      );
  }

  /** Delete what has expired: `dynamodb:Scan` and `dynamodb:BatchWriteItem` on the table. No index. */
  deleteExpired(grantee: IGrantable): Grant {
    this.encryptionKey?.grantEncryptDecrypt(grantee);
    return this.grant(grantee, ['dynamodb:Scan', 'dynamodb:BatchWriteItem']);
  }

  /**
   * Everything the session library does: `dynamodb:GetItem`, `PutItem`, `UpdateItem`, `DeleteItem`, `Query` and
   * `BatchGetItem` on the table. No index and no scan.
   */
  manageSessions(grantee: IGrantable): Grant {
    this.encryptionKey?.grantEncryptDecrypt(grantee);
    return this.grant(grantee, [
      'dynamodb:GetItem',
      'dynamodb:PutItem',
      'dynamodb:UpdateItem',
      'dynamodb:DeleteItem',
      'dynamodb:Query',
      'dynamodb:BatchGetItem',
    ]);
  }

  private grant(grantee: IGrantable, actions: string[], conditions?: Record<string, Record<string, unknown>>): Grant {
    return Grant.addToPrincipal({ grantee, actions, resourceArns: [this.tableArn], conditions });
  }
}
