// SPDX-License-Identifier: Apache-2.0
/** The deployed authorizer: set up once from its environment, asked by API Gateway before each request. */
import { type AuthorizerResult, answerRequests } from './answer-requests';
import { readDeployedSettings } from './deployed-settings';
import { createDirectSessionReader } from './direct-reader/direct-session-reader';
import { embeddedMetricLine } from './emf';
import { warmUpEvent } from './warm-up';

interface DeployedAuthorizer {
  readonly authorize: (event: unknown) => Promise<AuthorizerResult>;
  readonly warmUp: () => Promise<unknown>;
}

let deployed: DeployedAuthorizer | undefined;

function setUp(): DeployedAuthorizer {
  const { table, endpoint, settings } = readDeployedSettings(process.env);
  const reader = createDirectSessionReader({ ...table, endpoint });
  const functionName = process.env.AWS_LAMBDA_FUNCTION_NAME ?? 'local';
  return {
    authorize: answerRequests(
      { reader, report: (report) => console.log(embeddedMetricLine(report, Date.now(), functionName)) },
      settings,
    ),
    // Not reported: nobody was refused.
    warmUp: () => answerRequests({ reader }, settings)(warmUpEvent(settings.cookieName)),
  };
}

/** A wrong set-up fails each request with its reason in the log, where a crash at the start would repeat without words. */
export async function handler(event: unknown): Promise<AuthorizerResult> {
  try {
    deployed ??= setUp();
    return await deployed.authorize(event);
  } catch (error) {
    // Name and message; of a refusal, which is no error, nothing.
    if (String(error) !== 'Error: Unauthorized') console.error(String(error));
    throw error;
  }
}

/**
 * Connects and walks the whole path once, in the init phase, which runs at full CPU and before a request waits. Costs one
 * read. Whatever fails here fails again, with words, at the first request.
 */
export async function warmUp(): Promise<void> {
  try {
    deployed ??= setUp();
    await deployed.warmUp();
  } catch {
    // Said by the handler.
  }
}
