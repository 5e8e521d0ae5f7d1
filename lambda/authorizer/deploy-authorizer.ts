// SPDX-License-Identifier: Apache-2.0
/** A deployed authorizer: set up once from its environment, asked by API Gateway before each request. */
import { type AuthorizerResult, answerRequests } from './answer-requests';
import type { DecisionDeps } from './decision';
import { type DeployedSettings, readDeployedSettings } from './deployed-settings';
import { createDirectSessionReader } from './direct-reader/direct-session-reader';
import { embeddedMetricLine } from './emf';
import { warmUpEvent } from './warm-up';

interface SetUpAuthorizer {
  readonly authorize: (event: unknown) => Promise<AuthorizerResult>;
  readonly warmUp: () => Promise<unknown>;
}

export interface DeployedAuthorizer {
  /** A wrong set-up fails each request with its reason in the log, where a crash at the start would repeat without words. */
  handler(event: unknown): Promise<AuthorizerResult>;
  /**
   * Connects and walks the whole path once, in the init phase, which runs at full CPU and before a request waits. Costs one
   * read. Whatever fails here fails again, with words, at the first request.
   */
  warmUp(): Promise<void>;
}

/** @param admitBy how older systems are asked, by the same settings. Absent: there are none */
export function deployAuthorizer(
  admitBy?: (deployment: DeployedSettings) => DecisionDeps['admitLegacy'],
): DeployedAuthorizer {
  let deployed: SetUpAuthorizer | undefined;

  function setUp(): SetUpAuthorizer {
    const deployment = readDeployedSettings(process.env);
    const { table, endpoint, settings } = deployment;
    const reader = createDirectSessionReader({ ...table, endpoint });
    const functionName = process.env.AWS_LAMBDA_FUNCTION_NAME ?? 'local';
    return {
      authorize: answerRequests(
        { reader, report: (report) => console.log(embeddedMetricLine(report, Date.now(), functionName)) },
        settings,
        admitBy?.(deployment),
      ),
      // Not reported: nobody was refused.
      warmUp: () => answerRequests({ reader }, settings)(warmUpEvent(settings.cookieName)),
    };
  }

  return {
    async handler(event) {
      try {
        deployed ??= setUp();
        return await deployed.authorize(event);
      } catch (error) {
        // Name and message; of a refusal, which is no error, nothing.
        if (String(error) !== 'Error: Unauthorized') console.error(String(error));
        throw error;
      }
    },
    async warmUp() {
      try {
        deployed ??= setUp();
        await deployed.warmUp();
      } catch {
        // Said by the handler.
      }
    },
  };
}
