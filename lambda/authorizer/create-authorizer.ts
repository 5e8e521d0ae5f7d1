// SPDX-License-Identifier: Apache-2.0
/** The request authorizer: from an event of API Gateway to its answer. */
import { SessionStoreError, type StoreErrorCode } from '../session/errors';
import { ConfigurationError } from '../settings';
import { authorizerContext } from './context';
import { type DenialReason, decide } from './decision';
import { type EventKind, recognizeEvent } from './event-kind';
import { type AuthorizerOptions, resolveAuthorizerOptions } from './options';
import { type AuthorizerPolicy, allowPolicy, denyPolicy, stageResource } from './policy';
import type { SessionReader } from './reader';

/** Answer to an HTTP API that was set up for simple responses. */
export interface SimpleAuthorizerResult {
  readonly isAuthorized: boolean;
  /** Only with `true`. */
  readonly context?: Readonly<Record<string, string>>;
}

export type AuthorizerResult = AuthorizerPolicy | SimpleAuthorizerResult;

/** What deserves a metric: nothing is reported for a request that was let in. */
export type AuthorizerReport =
  | { readonly kind: 'denied'; readonly reason: DenialReason }
  | { readonly kind: 'storeFault' | 'renewalFault'; readonly code: StoreErrorCode };

export interface AuthorizerDeps {
  readonly reader: SessionReader;
  /** Unix seconds. Default: the system's clock. */
  readonly now?: () => number;
  /** Receives each refusal and each fault; holds no token, cookie or hash. Default: nothing is reported. */
  readonly report?: (report: AuthorizerReport) => void;
}

/**
 * Makes the function that API Gateway asks before each request. It admits exactly the requests whose cookie holds the token
 * of a session that is alive now, with one consistent read; malformed, missing and ambiguous cookies cost none.
 *
 * The function rejects when the event is not one of a request authorizer and when the store fails: API Gateway answers 500,
 * which lets no one in and makes no client drop a good cookie.
 * @throws ConfigurationError naming the option
 */
export function createAuthorizer(
  deps: AuthorizerDeps,
  options: AuthorizerOptions,
): (event: unknown) => Promise<AuthorizerResult> {
  const { reader, now = systemSeconds, report = () => {} } = deps;
  const settings = resolveAuthorizerOptions(options, reader);
  const decisionDeps = {
    reader,
    onRenewalFault: (error: unknown) => report({ kind: 'renewalFault', code: codeOf(error) }),
  };

  function answerDenied(kind: EventKind, resource: string): AuthorizerResult {
    // API Gateway turns exactly this message into its own 401.
    if (settings.isThrowing) throw new Error('Unauthorized');
    return isSimple(kind) ? { isAuthorized: false } : denyPolicy(resource);
  }

  /** Only payload 2.0 knows simple responses; anything else would take one for a malformed policy. */
  function isSimple(kind: EventKind): boolean {
    return settings.isSimple && kind === 'http2';
  }

  return async (event) => {
    const { kind, arn } = recognizeEvent(event);
    const resource = stageResource(arn);
    let decision: Awaited<ReturnType<typeof decide>>;
    try {
      decision = await decide(event, kind, readClock(now), decisionDeps, settings);
    } catch (error) {
      report({ kind: 'storeFault', code: codeOf(error) });
      throw error;
    }
    if ('denied' in decision) {
      report({ kind: 'denied', reason: decision.denied });
      return answerDenied(kind, resource);
    }
    const context = authorizerContext(decision.admitted);
    return isSimple(kind) ? { isAuthorized: true, context } : allowPolicy(decision.admitted.user, resource, context);
  };
}

function systemSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

/** Against a clock that is not a number every comparison is false, and nothing would ever have expired. */
function readClock(now: () => number): number {
  const seconds = Math.floor(now());
  if (!Number.isSafeInteger(seconds)) throw new ConfigurationError('now must return Unix seconds');
  return seconds;
}

function codeOf(error: unknown): StoreErrorCode {
  return error instanceof SessionStoreError ? error.code : 'ERR_SESSION_STORE';
}
