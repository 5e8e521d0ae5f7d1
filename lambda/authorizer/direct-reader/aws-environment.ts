// SPDX-License-Identifier: Apache-2.0
/** Where DynamoDB is and how to sign for it, from the variables that Lambda gives each function. */
import { requiredVariable } from '../../session/environment-settings';
import { ConfigurationError } from '../../settings';
import type { Credentials } from './signer';

export interface AwsEnvironment {
  readonly region: string;
  readonly credentials: Credentials;
  /** Empty with long-lived keys. */
  readonly sessionToken: string;
  readonly endpoint: URL;
}

/**
 * @param endpoint URL of another endpoint than that of an ordinary region: a partition's own, or an emulator's
 * @throws ConfigurationError naming the variable or `endpoint`
 */
export function readAwsEnvironment(
  variables: Readonly<Record<string, string | undefined>>,
  endpoint: string | undefined,
): AwsEnvironment {
  const region = requiredVariable(variables, 'AWS_REGION');
  return {
    region,
    credentials: {
      accessKeyId: requiredVariable(variables, 'AWS_ACCESS_KEY_ID'),
      secretAccessKey: requiredVariable(variables, 'AWS_SECRET_ACCESS_KEY'),
    },
    sessionToken: variables.AWS_SESSION_TOKEN ?? '',
    endpoint: parseEndpoint(endpoint || `https://dynamodb.${region}.amazonaws.com`),
  };
}

function parseEndpoint(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // Nothing but scheme, host and port: a path or a password would silently be left out.
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`)
    throw new ConfigurationError('endpoint must be a URL of scheme, host and port');
  return url;
}
