// SPDX-License-Identifier: Apache-2.0
/** The deployed authorizer: set up once from its environment, asked by API Gateway before each request. */
import { type AuthorizerResult, createAuthorizer } from './create-authorizer';
import { embeddedMetricLine } from './emf';
import { optionsFromEnvironment } from './environment-options';
import { createSdkSessionReader } from './sdk-session-reader';

function authorizerFromEnvironment(): (event: unknown) => Promise<AuthorizerResult> {
  const { table, endpoint, options } = optionsFromEnvironment(process.env);
  const reader = createSdkSessionReader({ ...table, endpoint });
  return createAuthorizer({ reader, report: (report) => console.log(embeddedMetricLine(report, Date.now())) }, options);
}

let authorizer: ReturnType<typeof authorizerFromEnvironment> | undefined;

/** A wrong set-up fails each request with its reason in the log, where a crash at the start would repeat without words. */
export async function handler(event: unknown): Promise<AuthorizerResult> {
  try {
    authorizer ??= authorizerFromEnvironment();
    return await authorizer(event);
  } catch (error) {
    if (!(error instanceof Error && error.message === 'Unauthorized')) console.error(describe(error));
    throw error;
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
