// SPDX-License-Identifier: Apache-2.0
/** What `cdk deploy` deploys: table, authorizer function and API in one stack. */
import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { LegacySessions } from './legacy-sessions';
import type { LegacyMode } from './legacy-sessions-props';
import { attachExistingApis } from './private/existing-apis';
import { SessionApi } from './session-api';
import type { SessionApiOptions } from './session-api-options';
import { SessionAuthorizerFunction } from './session-authorizer-function';
import { SessionTable, type SessionTableProps } from './session-table';

/** Props of `SessionStack`: those of the stack, of the table with its settings, and of the API. */
export interface SessionStackProps extends StackProps, SessionTableProps, SessionApiOptions {
  /**
   * Ids of existing REST APIs of this account and region that get an authorizer. The outputs tell its id and the
   * command that puts it before a method.
   * @default - none
   */
  readonly attachRestApiIds?: string[];

  /**
   * Ids of existing HTTP APIs that get an authorizer.
   * @default - none
   */
  readonly attachHttpApiIds?: string[];

  /**
   * Ids of existing WebSocket APIs that get an authorizer. Needs `allowedOrigins`.
   * @default - none
   */
  readonly attachWebSocketApiIds?: string[];

  /**
   * Older systems whose sessions are admitted while their users move in, see `SessionAuthorizerFunction`.
   * @default - none
   */
  readonly legacySessions?: LegacySessions[];

  /**
   * What becomes of `legacySessions`, see `SessionAuthorizerFunction`.
   * @default LegacyMode.ON
   */
  readonly legacyMode?: LegacyMode;

  /**
   * How much of `legacySessions` moves in, see `SessionAuthorizerFunction`.
   * @default 100
   */
  readonly legacySharePercent?: number;

  /**
   * Older sessions that began by then are refused, see `SessionAuthorizerFunction`.
   * @default - no such line
   */
  readonly legacyStartedAfter?: Date;
}

/**
 * Sessions and an API behind them, ready to deploy.
 *
 * @example
 * const stack = new SessionStack(app, 'Sessions', { idleTimeout: Duration.days(7) });
 * stack.api.addLoginHandler(new lambda.Function(stack, 'Login', { ... }));
 */
export class SessionStack extends Stack {
  readonly sessionTable: SessionTable;
  readonly authorizerFunction: SessionAuthorizerFunction;
  readonly api: SessionApi;

  constructor(scope: Construct, id: string, props: SessionStackProps = {}) {
    super(scope, id, props);
    this.sessionTable = new SessionTable(this, 'Sessions', props);
    this.authorizerFunction = new SessionAuthorizerFunction(this, 'AuthorizerFunction', {
      sessionTable: this.sessionTable,
      legacySessions: props.legacySessions,
      legacyMode: props.legacyMode,
      legacySharePercent: props.legacySharePercent,
      legacyStartedAfter: props.legacyStartedAfter,
      logRetention: props.logRetention,
    });
    this.api = new SessionApi(this, 'SessionApi', {
      ...props,
      sessionTable: this.sessionTable,
      authorizerFunction: this.authorizerFunction,
    });
    attachExistingApis(this, this.authorizerFunction, props);
    new CfnOutput(this, 'ApiUrl', { value: this.api.url, description: 'Where the API is reached' });
    new CfnOutput(this, 'AuthorizerFunctionArn', {
      value: this.authorizerFunction.functionArn,
      description: 'The authorizer, to attach it to other APIs',
    });
    new CfnOutput(this, 'TableName', { value: this.sessionTable.tableName, description: 'The table of the sessions' });
  }
}
