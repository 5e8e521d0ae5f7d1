// SPDX-License-Identifier: Apache-2.0
/** The older systems whose sessions are admitted, moved in and ended while their users move over. */
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { EXPRESS_STORE_LAYOUTS, LEGACY_NAMES, type LegacyKind } from '../lambda/legacy-settings';
import type {
  CookieSessionsProps,
  ExpressSessionsProps,
  LegacyKeysProps,
  PhpSessionsProps,
  SignedSessionsProps,
} from './legacy-sessions-props';
import { checkLegacyOptions } from './private/legacy-options';
import { allowLegacyKeys, allowLegacyTable, type LegacyStorage, type LegacyUse } from './private/legacy-permissions';
import { checkLegacyProps } from './private/legacy-props';

/**
 * Sessions of an older system, for `SessionAuthorizerFunction`, which reads and never changes them. `SessionApi` ends them at
 * logout. The login handler of a `SessionApi` ends them at login, and handlers that `connectLegacy` was called for move them in.
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
    checkLegacyProps('expressSession', props);
    const { table, storePackage, secret, parameter, ...options } = props;
    return new LegacySessions(
      'expressSession',
      { package: storePackage, ...checkLegacyOptions('expressSession', options) },
      { table, keyPrefix: props.prefix ?? EXPRESS_STORE_LAYOUTS[storePackage].prefix },
      oneOf({ secret, parameter }),
    );
  }

  /** Sessions of `cookie-session`. */
  static cookieSession(props: CookieSessionsProps): LegacySessions {
    checkLegacyProps('cookieSession', props);
    const { secret, parameter, ...options } = props;
    return new LegacySessions(
      'cookieSession',
      checkLegacyOptions('cookieSession', options),
      undefined,
      oneOf({ secret, parameter }),
    );
  }

  /**
   * Signed sessions, made by `createSignedSessions`: admitted by their cookies alone, without a read, so that nothing but their
   * end, a new key or a new epoch ends one; or, with `movesIn`, as those of an older system. See docs/signed-sessions.md.
   */
  static signedSession(props: SignedSessionsProps): LegacySessions {
    checkLegacyProps('signedSession', props);
    const { secret, parameter, movesIn = false, ...options } = props;
    return new LegacySessions(
      'signedSession',
      { ...checkLegacyOptions('signedSession', options), ...(movesIn ? { isStateless: false } : {}) },
      undefined,
      oneOf({ secret, parameter }),
    );
  }

  /** Sessions of PHP's handler for DynamoDB. */
  static php(props: PhpSessionsProps): LegacySessions {
    checkLegacyProps('php', props);
    const { table, hashKey, dataAttribute, sessionLifetimeAttribute, ...options } = props;
    // Without those that were not given: JSON has no undefined.
    const attributeNames = JSON.parse(JSON.stringify({ hashKey, dataAttribute, sessionLifetimeAttribute }));
    const { sessionName = props.cookieName ?? LEGACY_NAMES.php.cookieName } = props;
    return new LegacySessions(
      'php',
      { attributeNames, ...checkLegacyOptions('php', options) },
      { table, keyPrefix: `${sessionName}_` },
    );
  }

  private constructor(
    private readonly kind: LegacyKind,
    private readonly configuration: Readonly<Record<string, unknown>>,
    private readonly storage?: LegacyStorage,
    private readonly keys: LegacyKeysProps = {},
  ) {}

  /** @internal Of the sessions, unless they are in their cookies. */
  get _table(): ITable | undefined {
    return this.storage?.table;
  }

  /** @internal */
  get _sourceName(): string {
    return String(this.configuration.sourceName ?? LEGACY_NAMES[this.kind].sourceName);
  }

  /** @internal */
  get _cookieNames(): string[] {
    const name = String(this.configuration.cookieName ?? LEGACY_NAMES[this.kind].cookieName);
    return this.kind === 'cookieSession' || this.kind === 'signedSession' ? [name, `${name}.sig`] : [name];
  }

  /** @internal Cut-off date in Unix seconds, if there is one. */
  get _acceptUntil(): number | undefined {
    return this.configuration.acceptUntil as number | undefined;
  }

  /** @internal Signed sessions are all in their cookies, and stay there unless it is said otherwise. */
  get _movesIn(): boolean {
    return this.kind !== 'signedSession' || this.configuration.isStateless === false;
  }

  /**
   * Lets a function do what it is for, each thing as a statement of its own.
   * @internal
   * @param position - of these sessions in the list, from 1
   */
  _allow(handler: IFunction, position: number, use: LegacyUse): void {
    if (this.storage !== undefined) allowLegacyTable(handler, this.storage, position, use, this.kind !== 'php');
    // Cookies that nothing ends are dropped unread.
    if (use !== 'end' || this._movesIn) allowLegacyKeys(handler, this.keys, position);
  }

  /** @internal What a function is told. */
  get _description(): Record<string, unknown> {
    const { secret, parameter } = this.keys;
    return {
      kind: this.kind,
      ...this.configuration,
      tableName: this.storage?.table.tableName,
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
