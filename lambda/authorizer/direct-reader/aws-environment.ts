// SPDX-License-Identifier: Apache-2.0
/** Where DynamoDB is and how to sign for it, from the variables that Lambda gives each function. */
import { ConfigurationError } from '../../settings';
import type { Credentials } from './signer';

export interface AwsEnvironment {
  readonly region: string;
  readonly credentials: Credentials;
  /** Absent with long-lived keys. */
  readonly sessionToken: string | undefined;
  readonly endpoint: Endpoint;
}

export interface Endpoint {
  readonly isSecure: boolean;
  readonly hostname: string;
  /** Absent: the protocol's own. */
  readonly port: number | undefined;
  /** Value of the Host header. */
  readonly host: string;
}

/** Regions outside `amazonaws.com`, by how their names begin. */
const OTHER_DOMAINS: readonly (readonly [regionPrefix: string, domain: string])[] = [
  ['cn-', 'amazonaws.com.cn'],
  ['us-iso-', 'c2s.ic.gov'],
  ['us-isob-', 'sc2s.sgov.gov'],
  ['us-isof-', 'csp.hci.ic.gov'],
  ['eu-isoe-', 'cloud.adc-e.uk'],
  ['eusc-', 'amazonaws.eu'],
];

/**
 * @param endpoint URL of another endpoint than the region's own, such as an emulator's
 * @throws ConfigurationError naming the variable
 */
export function readAwsEnvironment(
  variables: Readonly<Record<string, string | undefined>>,
  endpoint: string | undefined,
): AwsEnvironment {
  const region = required(variables, 'AWS_REGION');
  if (!/^[a-z0-9-]{1,32}$/.test(region)) throw new ConfigurationError('AWS_REGION must be the name of a region');
  return {
    region,
    credentials: {
      accessKeyId: required(variables, 'AWS_ACCESS_KEY_ID'),
      secretAccessKey: required(variables, 'AWS_SECRET_ACCESS_KEY'),
    },
    sessionToken: variables.AWS_SESSION_TOKEN || undefined,
    endpoint: parseEndpoint(endpoint ?? `https://dynamodb.${region}.${domainOf(region)}`),
  };
}

function domainOf(region: string): string {
  return OTHER_DOMAINS.find(([prefix]) => region.startsWith(prefix))?.[1] ?? 'amazonaws.com';
}

function parseEndpoint(text: string): Endpoint {
  let url: URL | undefined;
  try {
    url = new URL(text);
  } catch {
    url = undefined;
  }
  const isHttp = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (url === undefined || !isHttp || url.pathname !== '/' || url.search !== '' || url.username !== '')
    throw new ConfigurationError('the endpoint must be a URL of scheme, host and port: https://dynamodb.example.com');
  return {
    isSecure: url.protocol === 'https:',
    // Without the brackets of an IPv6 address, which belong to the URL.
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? undefined : Number(url.port),
    host: url.host,
  };
}

function required(variables: Readonly<Record<string, string | undefined>>, name: string): string {
  const value = variables[name];
  if (value === undefined || value === '')
    throw new ConfigurationError(`the environment variable ${name} must be set; AWS Lambda sets it in every function`);
  return value;
}
