// SPDX-License-Identifier: Apache-2.0
/** Checks at synthesis what the function would refuse when it starts, and with it every request. */
import { Token } from 'aws-cdk-lib';
import {
  LEGACY_NAMES,
  type LegacyKind,
  requireCookieName,
  requireCookieScope,
  requireDataPath,
  requirePhpSessionName,
  requireSourceName,
} from '../../lambda/legacy-settings';
import { ConfigurationError } from '../../lambda/settings';
import { secondsOf } from './seconds';

/** The props that are checked; others are passed on as they are. */
interface LegacyOptionsProps {
  readonly sourceName?: string;
  readonly cookieName?: string;
  readonly cookiePath?: string;
  readonly cookieDomain?: string;
  readonly userPath?: string;
  readonly createdAtPath?: string;
  readonly expiresAtPath?: string;
  readonly csrfTokenPath?: string;
  readonly loginIdPath?: string;
  readonly sessionName?: string;
  readonly acceptUntil?: Date;
}

const DATA_PATHS = ['userPath', 'createdAtPath', 'expiresAtPath', 'csrfTokenPath', 'loginIdPath'] as const;

/**
 * The options as the function is told them. A value that is only known at deployment (a token) is passed on unchecked; the
 * function checks it again when it starts.
 * @throws ConfigurationError naming the prop
 */
export function checkLegacyOptions(kind: LegacyKind, props: LegacyOptionsProps): Readonly<Record<string, unknown>> {
  const { sourceName, cookieName = LEGACY_NAMES[kind].cookieName, cookiePath, cookieDomain } = props;
  unlessUnknown(cookieName, (name) => requireCookieName(name, kind === 'signedSession' ? 64 : 128));
  unlessUnknown(sourceName, requireSourceName);
  unlessUnknown(cookiePath, (path) => requireCookieScope(path, undefined));
  unlessUnknown(cookieDomain, (domain) => requireCookieScope('/', domain));
  for (const prop of DATA_PATHS) unlessUnknown(props[prop], (path) => requireDataPath(prop, path));
  if (kind === 'php') {
    requireDataPath('userPath', props.userPath);
    unlessUnknown(props.sessionName ?? cookieName, (name) =>
      requirePhpSessionName(props.sessionName === undefined ? 'cookieName' : 'sessionName', name),
    );
  }
  const acceptUntil = secondsOf('acceptUntil', props.acceptUntil);
  if (kind === 'cookieSession' && acceptUntil === undefined)
    throw new ConfigurationError('acceptUntil must be given: the cookies of cookie-session say no end themselves');
  return withoutAbsent({ ...props, acceptUntil });
}

function unlessUnknown(value: unknown, check: (value: unknown) => void): void {
  if (value !== undefined && !Token.isUnresolved(value)) check(value);
}

function withoutAbsent(options: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
