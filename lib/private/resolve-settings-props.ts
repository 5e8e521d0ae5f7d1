// SPDX-License-Identifier: Apache-2.0
/** Turns construct props into the checked settings of `lambda/settings.ts`, with errors in the words of the props. */
import { type Duration, Token } from 'aws-cdk-lib';
import {
  ConfigurationError,
  resolveSettings,
  type SessionSettings,
  type SessionSettingsInput,
} from '../../lambda/settings';
import type { SessionSettingsProps } from '../session-settings-props';
import { requireDuration } from './seconds';

/** Options of the settings that have another name as a prop. */
const PROP_NAMES: Readonly<Record<string, string>> = {
  absoluteTimeoutSeconds: 'absoluteTimeout',
  idleTimeoutSeconds: 'idleTimeout',
  renewalIntervalSeconds: 'renewalInterval',
  'attributeNames.partitionKey': 'partitionKeyName',
  'attributeNames.sortKey': 'sortKeyName',
  'attributeNames.expiresAt': 'timeToLiveAttribute',
  attributeNames: 'partitionKeyName, sortKeyName and timeToLiveAttribute',
};

/**
 * Fills in the defaults and refuses what cannot work. A value that is only known at deployment (a token) is passed on
 * unchecked; the functions check it again when they start.
 * @throws ConfigurationError naming the prop
 */
export function resolveSettingsProps(props: SessionSettingsProps): SessionSettings {
  if ('insecureLocalhost' in props)
    throw new ConfigurationError(
      'insecureLocalhost cannot be deployed: it sends the cookie over plain HTTP; remove it',
    );
  const input: SessionSettingsInput = {
    cookieName: props.cookieName,
    absoluteTimeoutSeconds: toSeconds('absoluteTimeout', props.absoluteTimeout),
    idleTimeoutSeconds: toSeconds('idleTimeout', props.idleTimeout),
    renewalIntervalSeconds: toSeconds('renewalInterval', props.renewalInterval),
    epoch: props.epoch,
    attributeNames: withoutAbsent({
      partitionKey: props.partitionKeyName,
      sortKey: props.sortKeyName,
      expiresAt: props.timeToLiveAttribute,
    }),
    allowedOrigins: props.allowedOrigins,
    csrf: props.csrf as SessionSettingsInput['csrf'],
    userRecordAttribute: props.userRecordAttribute,
    maxSessionsPerUser: props.maxSessionsPerUser,
    maxItemBytes: props.maxItemBytes,
  };
  const tokens = tokensOf(props);
  try {
    return { ...resolveSettings({ ...input, ...tokens.placeholders }), ...tokens.values };
  } catch (error) {
    throw error instanceof ConfigurationError ? new ConfigurationError(inPropNames(error.message)) : error;
  }
}

/** Cookie name, epoch and origins may be tokens; placeholders stand in for them while the rest is checked. */
function tokensOf(props: SessionSettingsProps): {
  readonly placeholders: SessionSettingsInput;
  readonly values: Partial<SessionSettings>;
} {
  const { cookieName, epoch, allowedOrigins } = props;
  return {
    placeholders: withoutAbsent({
      cookieName: isToken(cookieName) ? '__Host-token' : undefined,
      epoch: isToken(epoch) ? 'token' : undefined,
      allowedOrigins: allowedOrigins?.some(isToken) ? allowedOrigins.filter((origin) => !isToken(origin)) : undefined,
    }),
    values: withoutAbsent({
      cookieName: isToken(cookieName) ? cookieName : undefined,
      epoch: isToken(epoch) ? epoch : undefined,
      allowedOrigins: allowedOrigins?.some(isToken) ? allowedOrigins : undefined,
    }),
  };
}

function isToken(value: string | undefined): value is string {
  return value !== undefined && Token.isUnresolved(value);
}

function toSeconds(prop: string, duration: Duration | undefined): number | undefined {
  requireDuration(prop, duration);
  if (duration === undefined) return undefined;
  if (duration.isUnresolved()) throw new ConfigurationError(`${prop} must be known at synthesis, got a token`);
  return duration.toSeconds({ integral: false });
}

function withoutAbsent<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}

function inPropNames(message: string): string {
  return message.replace(/attributeNames(\.\w+)?|\w+Seconds/g, (option) => PROP_NAMES[option] ?? option);
}
