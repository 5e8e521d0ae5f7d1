// SPDX-License-Identifier: Apache-2.0
/** The older systems whose sessions an authorizer admits while their users move over. */

import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type {
  CookieSessionsProps,
  ExpressSessionsProps,
  LegacyKeysProps,
  PhpSessionsProps,
  SignedSessionsProps,
} from './legacy-sessions-props';
import { secondsOf } from './private/seconds';

/**
 * Sessions of an older system, for `SessionAuthorizerFunction`, which reads and never changes them. `SessionApi` ends them at
 * logout. Moving them in is the session library's part, which must be told the same.
 *
 * @example
 * new SessionAuthorizerFunction(this, 'AuthorizerFunction', {
 *   sessionTable,
 *   legacySessions: [
 *     LegacySessions.expressSession({ table, storePackage: ExpressStorePackage.CONNECT_DYNAMODB, secret }),
 *   ],
 * });
 */
export class LegacySessions {
  /** Sessions of `express-session` that a package keeps in DynamoDB. */
  static expressSession(props: ExpressSessionsProps): LegacySessions {
    const { table, storePackage, secret, parameter, ...options } = props;
    return new LegacySessions(
      { kind: 'expressSession', package: storePackage, ...inSeconds(options) },
      table,
      oneOf({ secret, parameter }),
    );
  }

  /** Sessions of `cookie-session`. */
  static cookieSession(props: CookieSessionsProps): LegacySessions {
    const { secret, parameter, ...options } = props;
    return new LegacySessions(
      { kind: 'cookieSession', ...inSeconds(options) },
      undefined,
      oneOf({ secret, parameter }),
    );
  }

  /**
   * Signed sessions, made by `createSignedSessions`: admitted by their cookies alone, without a read. They are no older
   * system, and nothing but their end, a new key or a new epoch ends one; see docs/signed-sessions.md.
   */
  static signedSession(props: SignedSessionsProps): LegacySessions {
    const { secret, parameter, ...options } = props;
    return new LegacySessions({ kind: 'signedSession', ...options }, undefined, oneOf({ secret, parameter }));
  }

  /** Sessions of PHP's handler for DynamoDB. */
  static php(props: PhpSessionsProps): LegacySessions {
    const { table, hashKey, dataAttribute, sessionLifetimeAttribute, ...options } = props;
    // Without those that were not given: JSON has no undefined.
    const attributeNames = JSON.parse(JSON.stringify({ hashKey, dataAttribute, sessionLifetimeAttribute }));
    return new LegacySessions({ kind: 'php', attributeNames, ...inSeconds(options) }, table);
  }

  private constructor(
    private readonly configuration: Readonly<Record<string, unknown>>,
    private readonly table?: ITable,
    private readonly keys: LegacyKeysProps = {},
  ) {}

  /**
   * Lets the function read what it needs, each as a statement of its own.
   * @internal
   * @param position - of these sessions in the list, from 1
   * @returns what the function is told
   */
  _bind(role: IRole, position: number): Record<string, unknown> {
    this.allow(role, `ReadLegacyTable${position}`, ['dynamodb:GetItem']);
    this.table?.encryptionKey?.grantDecrypt(role);
    return this.bindKeys(role, position);
  }

  /**
   * Lets the function end these sessions, where they are kept in a table.
   * @internal
   */
  _bindToEnd(role: IRole, position: number): Record<string, unknown> {
    // An ID that nothing signed may be made up: it is read before anything is written.
    const reading = this.configuration.kind === 'php' ? ['dynamodb:GetItem'] : [];
    this.allow(role, `EndLegacySessions${position}`, [...reading, 'dynamodb:DeleteItem']);
    this.table?.encryptionKey?.grantEncryptDecrypt(role);
    return this.bindKeys(role, position);
  }

  private allow(role: IRole, sid: string, actions: string[]): void {
    if (this.table === undefined) return;
    role.addToPrincipalPolicy(new PolicyStatement({ sid, actions, resources: [this.table.tableArn] }));
  }

  private bindKeys(role: IRole, position: number): Record<string, unknown> {
    const { secret, parameter } = this.keys;
    const allow = (action: string, resource: string, key: IKey | undefined): void => {
      role.addToPrincipalPolicy(
        new PolicyStatement({ sid: `ReadLegacyKeys${position}`, actions: [action], resources: [resource] }),
      );
      key?.grantDecrypt(role);
    };
    if (secret !== undefined)
      allow(
        'secretsmanager:GetSecretValue',
        // Six random characters end the ARN of a secret that is known by its name only.
        secret.secretFullArn ?? `${secret.secretArn}-??????`,
        secret.encryptionKey,
      );
    if (parameter !== undefined) allow('ssm:GetParameter', parameter.parameterArn, keyOf(parameter));
    return {
      ...this.configuration,
      tableName: this.table?.tableName,
      secretId: secret?.secretArn,
      parameterName: parameter?.parameterName,
    };
  }
}

function oneOf(keys: LegacyKeysProps): LegacyKeysProps {
  if ((keys.secret === undefined) === (keys.parameter === undefined))
    throw new Error('the keys of signed cookies are in secret or in parameter; give one of the two');
  return keys;
}

function inSeconds<Options extends { readonly acceptUntil?: Date }>({ acceptUntil, ...options }: Options): object {
  const seconds = secondsOf('acceptUntil', acceptUntil);
  return seconds === undefined ? options : { ...options, acceptUntil: seconds };
}

/** Parameters that are encrypted with a key of one's own know it; the interface does not say so. */
function keyOf(parameter: object): IKey | undefined {
  return (parameter as { readonly encryptionKey?: IKey }).encryptionKey;
}
