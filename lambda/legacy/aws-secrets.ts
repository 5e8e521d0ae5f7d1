// SPDX-License-Identifier: Apache-2.0
/**
 * One secret of Secrets Manager, one parameter of Parameter Store; each client is loaded when it is first needed. Both are
 * optional peers: the imports stand in `try`, so that a bundler which does not find one leaves it to the run time.
 */
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { SSMClient } from '@aws-sdk/client-ssm';
import { ConfigurationError, SessionStoreError } from '../session/errors';

/** Two tries fit into the authorizer's five seconds. */
const CLIENT_LIMITS = {
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 500, requestTimeout: 1_500, throwOnRequestTimeout: true },
};

let secretsManager: SecretsManagerClient | undefined;
let parameterStore: SSMClient | undefined;

/** The secret's text, of its current version. */
export async function readSecret(secretId: string): Promise<string> {
  const sdk = await secretsManagerSdk();
  secretsManager ??= new sdk.SecretsManagerClient(CLIENT_LIMITS);
  const { SecretString } = await secretsManager.send(new sdk.GetSecretValueCommand({ SecretId: secretId }));
  return textOf(SecretString, `secretId ${secretId}`);
}

/** The parameter's value, decrypted. */
export async function readParameter(name: string): Promise<string> {
  const sdk = await parameterStoreSdk();
  parameterStore ??= new sdk.SSMClient(CLIENT_LIMITS);
  const { Parameter } = await parameterStore.send(new sdk.GetParameterCommand({ Name: name, WithDecryption: true }));
  return textOf(Parameter?.Value, `parameterName ${name}`);
}

async function secretsManagerSdk(): Promise<typeof import('@aws-sdk/client-secrets-manager')> {
  try {
    return await import('@aws-sdk/client-secrets-manager');
  } catch (failure) {
    throw unlessMissing(failure, 'secretId', '@aws-sdk/client-secrets-manager');
  }
}

async function parameterStoreSdk(): Promise<typeof import('@aws-sdk/client-ssm')> {
  try {
    return await import('@aws-sdk/client-ssm');
  } catch (failure) {
    throw unlessMissing(failure, 'parameterName', '@aws-sdk/client-ssm');
  }
}

/** `import` and `require` each have their own code for a package that is not there; their messages name it. */
function unlessMissing(failure: unknown, option: string, packageName: string): unknown {
  const isMissing =
    failure instanceof Error &&
    'code' in failure &&
    (failure.code === 'ERR_MODULE_NOT_FOUND' || failure.code === 'MODULE_NOT_FOUND');
  if (!isMissing) return failure;
  const text = `${option} needs the package ${packageName}: install it, and let a bundler include it or the runtime have it`;
  return new ConfigurationError(text, { cause: failure });
}

/** A binary secret holds no text. */
function textOf(value: string | undefined, origin: string): string {
  if (value === undefined) throw new SessionStoreError(`the secrets of ${origin} are not kept as text`);
  return value;
}
