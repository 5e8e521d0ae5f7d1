// SPDX-License-Identifier: Apache-2.0
/** The deployed authorizer's reader: DynamoDB's HTTP interface directly, without the AWS SDK. */
import { isConditionFailure, storeErrorFrom } from '../../session/dynamodb-failure';
import type { DeployedReader } from '../reader';
import { readSessionRequest, readUserRecordRequest, renewSessionRequest, type TableAddress } from '../table-request';
import { contentOf, itemOf } from './answer';
import { readAwsEnvironment } from './aws-environment';
import { createConnection, type ExchangeLimits, type HttpAnswer } from './exchange';
import { createSigner, type SignedHeaders, timestampOf } from './signer';

export interface DirectSessionReaderOptions extends TableAddress {
  /** Another endpoint than the region's own; plain HTTP is for emulators. */
  readonly endpoint?: string | undefined;
  /** Region and credentials as Lambda gives them. Default: the process's environment. */
  readonly variables?: Readonly<Record<string, string | undefined>> | undefined;
  /** Default: the system's clock, in milliseconds. */
  readonly nowMillis?: (() => number) | undefined;
  /** Certificate authority to trust instead of the system's. */
  readonly ca?: string | undefined;
  readonly limits?: Partial<ExchangeLimits> | undefined;
}

/** Twice half a second: far under the 10 seconds for which API Gateway waits. An item has 400 KB at most. */
const LIMITS: ExchangeLimits = { connectMillis: 300, attemptMillis: 500, bodyBytes: 1_048_576 };
const MAX_ATTEMPTS = 2;
const PAUSE_MILLIS = 20;

/** Stands for the key; no name of an attribute has a control character. */
const KEY = '\u0000';

type Operation = 'GetItem' | 'UpdateItem';

/**
 * Makes a reader; nothing is connected before the first call. Credentials are read once: Lambda starts a function anew
 * when they change.
 * @throws ConfigurationError naming the variable or option
 */
export function createDirectSessionReader(options: DirectSessionReaderOptions): DeployedReader {
  const { tableName, variables = process.env, nowMillis = Date.now } = options;
  const { region, credentials, sessionToken, endpoint } = readAwsEnvironment(variables, options.endpoint);
  const connection = createConnection(endpoint, { ...LIMITS, ...options.limits, ca: options.ca });
  const sign = createSigner(credentials, { region, service: 'dynamodb' });

  function send(operation: Operation, body: string): Promise<HttpAnswer> {
    const timestamp = timestampOf(nowMillis());
    const target = `DynamoDB_20120810.${operation}`;
    const headers: SignedHeaders = [
      ['content-type', 'application/x-amz-json-1.0'],
      ['host', endpoint.host],
      ['x-amz-date', timestamp],
      ...(sessionToken ? ([['x-amz-security-token', sessionToken]] as const) : []),
      ['x-amz-target', target],
    ];
    const authorization = sign(headers, body, timestamp);
    return connection.exchange({ ...Object.fromEntries(headers), authorization }, body);
  }

  /** Once more after what may pass: at once over a fresh connection, after a pause where DynamoDB itself said no. */
  async function request<T>(operation: Operation, body: string, read: (answer: HttpAnswer) => T): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return read(await send(operation, body));
      } catch (failure) {
        const error = storeErrorFrom(failure, tableName);
        if (attempt === MAX_ATTEMPTS || !error.isRetryable) throw error;
        if (isAnswer(failure)) await pause();
        else connection.dropIdle();
      }
    }
  }

  // One request is like the next but for its key, so the rest is written once.
  const [beforeKey, afterKey] = JSON.stringify(readSessionRequest(options, KEY)).split(JSON.stringify(KEY));

  return {
    readSession: (partitionKey) => request('GetItem', beforeKey + JSON.stringify(partitionKey) + afterKey, itemOf),
    readUserRecord: (key) => request('GetItem', JSON.stringify(readUserRecordRequest(options, key)), itemOf),
    renewSession: (partitionKey, renewal) =>
      request('UpdateItem', JSON.stringify(renewSessionRequest(options, partitionKey, renewal)), isDone),
  };
}

function isDone(answer: HttpAnswer): boolean {
  try {
    contentOf(answer);
    return true;
  } catch (failure) {
    if (isConditionFailure(failure)) return false;
    throw failure;
  }
}

/** DynamoDB answered, so the connection is good. */
function isAnswer(failure: unknown): boolean {
  return failure instanceof Error && '$metadata' in failure;
}

/** Of random length, so that functions which were throttled together do not come back together. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE_MILLIS * (1 + Math.random())));
}
