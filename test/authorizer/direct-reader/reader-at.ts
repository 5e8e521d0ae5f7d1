// SPDX-License-Identifier: Apache-2.0
/** A direct reader that speaks to a server in DynamoDB's place. */
import {
  createDirectSessionReader,
  type DirectSessionReaderOptions,
} from '../../../lambda/authorizer/direct-reader/direct-session-reader';
import type { DeployedReader } from '../../../lambda/authorizer/reader';
import { DEFAULT_ATTRIBUTE_NAMES } from '../../../lambda/settings';
import { sessionItem } from '../set-up';
import { type Behaviour, type FaultServer, startFaultServer } from './fault-server';

export const VARIABLES = {
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'secret-of-the-test',
  AWS_SESSION_TOKEN: 'token-of-the-test',
};
/** Where an answer is expected, it may take its time on a busy machine; where none comes, it need not. */
export const PATIENT = { connectMillis: 10_000, attemptMillis: 10_000 };
export const IMPATIENT = { connectMillis: 10_000, attemptMillis: 250 };

export const ITEM = sessionItem();
const servers: FaultServer[] = [];

export async function closeServers(): Promise<void> {
  await Promise.all(servers.splice(0).map((server) => server.close()));
}

/** The server is closed by `closeServers`. */
export async function readerAt(
  behaviours: readonly Behaviour[],
  options: Partial<DirectSessionReaderOptions> = {},
): Promise<{ reader: DeployedReader; server: FaultServer }> {
  const server = await startFaultServer(behaviours);
  servers.push(server);
  const reader = createDirectSessionReader({ ...addressOf(server), ...options });
  return { reader, server };
}

/** For a reader of your own on a server of your own; the server is closed with the others. */
export function addressOf(server: FaultServer): DirectSessionReaderOptions {
  if (!servers.includes(server)) servers.push(server);
  return {
    tableName: 'sessions',
    attributeNames: DEFAULT_ATTRIBUTE_NAMES,
    endpoint: server.endpoint,
    variables: VARIABLES,
    limits: PATIENT,
  };
}
