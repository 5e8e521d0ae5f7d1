// SPDX-License-Identifier: Apache-2.0
/** Tells functions of the older systems that one authorizer knows, all of them the same. */
import { Stack, Token, Tokenization } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { ENVIRONMENT } from '../../lambda/environment';
import { requireDistinctSourceNames, requireLegacyMode, requireSharePercent } from '../../lambda/legacy-settings';
import { ConfigurationError } from '../../lambda/settings';
import type { LegacySessions } from '../legacy-sessions';
import { LegacyMode } from '../legacy-sessions-props';
import type { ISessionTable } from '../session-table';
import { addVariable } from './connected-function';
import type { LegacyUse } from './legacy-permissions';
import { warnOfLegacy, warnOfShortTimeout } from './legacy-warnings';
import { isSameTable } from './same-table';
import { secondsOf } from './seconds';

interface LegacyWiringProps {
  readonly legacySessions?: LegacySessions[];
  readonly legacyMode?: LegacyMode;
  readonly legacySharePercent?: number;
  readonly legacyStartedAfter?: Date;
}

/** The older systems of one authorizer. */
export class LegacyWiring {
  readonly sessions: LegacySessions[];
  private readonly mode: LegacyMode;
  private readonly sharePercent: number;
  private readonly startedAfter: number | undefined;

  /** @throws ConfigurationError or Error naming the prop */
  constructor(scope: Construct, sessionTable: ISessionTable, props: LegacyWiringProps) {
    const { settings } = sessionTable;
    this.sessions = legacySessionsOf(props.legacySessions);
    this.mode = props.legacyMode ?? LegacyMode.ON;
    this.sharePercent = props.legacySharePercent ?? 100;
    this.startedAfter = secondsOf('legacyStartedAfter', props.legacyStartedAfter);
    requireLegacyMode('legacyMode', this.mode);
    if (!Token.isUnresolved(this.sharePercent)) requireSharePercent('legacySharePercent', this.sharePercent);
    requireDistinctSourceNames(this.moving.map(({ _sourceName }) => _sourceName).filter(isKnown));
    this.refuseOwnCookie(settings.cookieName);
    this.refuseOwnTable(sessionTable);
    warnOfLegacy(scope, this.sessions, this.startedAfter, settings);
  }

  /**
   * Gives a function the variables and the permissions for one use of these sessions.
   * @throws Error for a function that was connected otherwise before
   */
  connect(handler: IFunction, use: LegacyUse): void {
    const used = this.sessions
      .map((sessions, index) => ({ sessions, position: index + 1 }))
      .filter(({ sessions }) => use !== 'moveIn' || sessions._movesIn);
    const legacy = {
      sources: used.map(({ sessions }) => sessions._description),
      startedAfter: this.startedAfter,
    };
    refuseAnother(handler, {
      mode: this.mode,
      sharePercent: this.sharePercent,
      legacy,
      positions: used.map(({ position }) => position),
    });
    addVariable(handler, ENVIRONMENT.legacyMode, this.mode);
    addVariable(handler, ENVIRONMENT.legacySharePercent, Tokenization.stringifyNumber(this.sharePercent));
    addVariable(handler, ENVIRONMENT.legacy, Stack.of(handler).toJsonString(legacy));
    for (const { sessions, position } of used) sessions._allow(handler, position, use);
    if (use === 'moveIn') warnOfShortTimeout(handler);
  }

  /** @throws Error if there are no sessions that a handler could move in */
  refuseWithoutMoving(handler: IFunction): void {
    if (this.moving.length === 0)
      throw new Error(
        `cannot connect ${handler.node.path}: there are no legacySessions that move in; give the authorizer function some, or leave the call out`,
      );
  }

  /** Those that move in; signed sessions stay in their cookies unless it is said otherwise. */
  get moving(): LegacySessions[] {
    return this.sessions.filter(({ _movesIn }) => _movesIn);
  }

  /** Whatever came with the cookie would be taken for a session of ours, and refused. */
  private refuseOwnCookie(cookieName: string): void {
    if (isKnown(cookieName) && this.sessions.some(({ _cookieNames }) => _cookieNames.includes(cookieName)))
      throw new ConfigurationError(
        `cookieName must differ between legacySessions and the SessionTable, and both are ${cookieName}; give the SessionTable another`,
      );
  }

  /** No older system's table has the keys that sessions want. */
  private refuseOwnTable(sessionTable: ISessionTable): void {
    const own = this.sessions.find(({ _table }) => _table !== undefined && isSameTable(_table, sessionTable));
    if (own !== undefined)
      throw new ConfigurationError(
        `table of ${own._sourceName} must be the one that the older system keeps its sessions in, and it is that of the ` +
          `SessionTable ${sessionTable.node.path}; give the sessions a table of their own`,
      );
  }
}

/** @throws Error for what only JavaScript lets through */
function legacySessionsOf(given: LegacySessions[] | undefined): LegacySessions[] {
  if (given === undefined) return [];
  if (!Array.isArray(given) || given.some((sessions) => typeof sessions?._allow !== 'function'))
    throw new ConfigurationError(
      'legacySessions must be a list of what LegacySessions makes, such as [LegacySessions.expressSession({ … })]',
    );
  return given;
}

/** What each function was told, as text. */
const told = new WeakMap<IFunction, string>();

/** A function has one set of variables: the last call would win, and the names of the statements would collide. */
function refuseAnother(handler: IFunction, connection: object): void {
  const text = JSON.stringify(Stack.of(handler).resolve(connection));
  if ((told.get(handler) ?? text) !== text)
    throw new Error(
      `${handler.node.path} is connected to the legacySessions of another authorizer function already; connect it to one of ` +
        'them, and give both the same legacySessions, legacyMode, legacySharePercent and legacyStartedAfter if it serves both',
    );
  told.set(handler, text);
}

function isKnown(value: string): boolean {
  return !Token.isUnresolved(value);
}
