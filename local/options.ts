// SPDX-License-Identifier: Apache-2.0
/** What `npm start` was told on its command line and by the environment. */
import { StartError } from './start-error';

export interface LocalOptions {
  /** 0: one that is free. */
  readonly port: number;
  /** Serve HTTPS, with the cookie as it is in production. */
  readonly https: boolean;
  /** Where data is kept; absent: in memory. */
  readonly folder?: string;
  /** Use this DynamoDB, or an emulator of it, instead of the embedded one. */
  readonly dynamoDb?: ExternalDynamoDb;
}

export interface ExternalDynamoDb {
  readonly endpoint: string;
  readonly region: string;
  /** Absent: the template's. */
  readonly tableName?: string;
  readonly credentials: Readonly<Record<string, string>>;
}

export const USAGE = `npm start -- [--https] [--memory]

  --https    serve HTTPS with a self-signed certificate, and the cookie as in production
  --memory   keep nothing: the table is gone when the stack ends

Environment variables:
  PORT               port to serve on (default 3000)
  DYNAMODB_ENDPOINT  another DynamoDB or emulator, such as http://localhost:8000; its table is created if it is missing
                     there, except on AWS. Region and credentials are those of the AWS_… variables
  DYNAMODB_TABLE     name of the table there (default: the template's)`;

const DEFAULT_PORT = 3000;

/**
 * @param folder - where data is kept unless `--memory` is given
 * @throws StartError naming the argument or variable
 */
export function readOptions(
  args: readonly string[],
  variables: Readonly<Record<string, string | undefined>>,
  folder: string,
): LocalOptions {
  const unknown = args.find((argument) => argument !== '--https' && argument !== '--memory');
  if (unknown !== undefined)
    throw new StartError(`the argument ${unknown} is not known; npm start takes --https, --memory and --help`);
  const dynamoDb = readExternalDynamoDb(variables);
  return {
    port: readPort(variables.PORT),
    https: args.includes('--https'),
    ...(args.includes('--memory') ? {} : { folder }),
    ...(dynamoDb === undefined ? {} : { dynamoDb }),
  };
}

function readPort(text: string | undefined): number {
  if (text === undefined || text === '') return DEFAULT_PORT;
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw new StartError(`PORT must be a whole number from 0 to 65535, got ${text}`);
  return port;
}

function readExternalDynamoDb(variables: Readonly<Record<string, string | undefined>>): ExternalDynamoDb | undefined {
  const endpoint = variables.DYNAMODB_ENDPOINT;
  const tableName = variables.DYNAMODB_TABLE;
  if (endpoint === undefined || endpoint === '') {
    if (tableName !== undefined && tableName !== '')
      throw new StartError('DYNAMODB_TABLE needs DYNAMODB_ENDPOINT; the embedded table has the name of the template');
    return undefined;
  }
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new StartError('DYNAMODB_ENDPOINT must be a URL such as http://localhost:8000');
  const regionOfHost = /^dynamodb\.([a-z0-9-]+)\.amazonaws\.com/.exec(url.hostname)?.[1];
  return {
    endpoint: url.origin,
    region: regionOfHost ?? variables.AWS_REGION ?? variables.AWS_DEFAULT_REGION ?? 'us-east-1',
    ...(tableName === undefined || tableName === '' ? {} : { tableName }),
    credentials: readCredentials(variables),
  };
}

/** The AWS variables as they are; emulators take any, so made-up ones serve where there are none. */
function readCredentials(variables: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = variables;
  if (AWS_ACCESS_KEY_ID === undefined || AWS_SECRET_ACCESS_KEY === undefined) return LOCAL_CREDENTIALS;
  return {
    AWS_ACCESS_KEY_ID,
    AWS_SECRET_ACCESS_KEY,
    ...(AWS_SESSION_TOKEN === undefined ? {} : { AWS_SESSION_TOKEN }),
  };
}

export const LOCAL_CREDENTIALS: Readonly<Record<string, string>> = {
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
};
