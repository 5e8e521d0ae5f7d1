// SPDX-License-Identifier: Apache-2.0
/** One secret of Secrets Manager, one parameter of Parameter Store; each client is loaded when it is first needed. */
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { SSMClient } from '@aws-sdk/client-ssm';
import { SessionStoreError } from '../session/errors';

/** Two tries fit into the authorizer's five seconds. */
const CLIENT_LIMITS = {
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 500, requestTimeout: 1_500, throwOnRequestTimeout: true },
};

let secretsManager: SecretsManagerClient | undefined;
let parameterStore: SSMClient | undefined;

/** The secret's text, of its current version. */
export async function readSecret(secretId: string): Promise<string> {
  const sdk = await import('@aws-sdk/client-secrets-manager');
  secretsManager ??= new sdk.SecretsManagerClient(CLIENT_LIMITS);
  const { SecretString } = await secretsManager.send(new sdk.GetSecretValueCommand({ SecretId: secretId }));
  return textOf(SecretString);
}

/** The parameter's value, decrypted. */
export async function readParameter(name: string): Promise<string> {
  const sdk = await import('@aws-sdk/client-ssm');
  parameterStore ??= new sdk.SSMClient(CLIENT_LIMITS);
  const { Parameter } = await parameterStore.send(new sdk.GetParameterCommand({ Name: name, WithDecryption: true }));
  return textOf(Parameter?.Value);
}

/** A binary secret holds no text. */
function textOf(value: string | undefined): string {
  if (value === undefined) throw new SessionStoreError('the secrets are not kept as text');
  return value;
}
