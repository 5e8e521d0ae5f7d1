// SPDX-License-Identifier: Apache-2.0
/** From an event of API Gateway to its answer, by settings that were checked before. */
import { SessionStoreError, type StoreErrorCode } from '../session/errors';
import { ConfigurationError } from '../settings';
import type { AuthorizerSettings } from './authorizer-settings';
import { authorizerContext } from './context';
import { type Decision, type DecisionDeps, type DenialReason, decide } from './decision';
import { recognizeEvent } from './event-kind';
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
  readonly now?: (() => number) | undefined;
  /** Receives each refusal and each fault; holds no token, cookie or hash. Default: nothing is reported. */
  readonly report?: ((report: AuthorizerReport) => void) | undefined;
  /** Receives the name of the source of each older session that is let in. Default: nothing is reported. */
  readonly onLegacyAdmitted?: ((source: string) => void) | undefined;
}

/** The authorizer itself; what it promises stands at `createAuthorizer`. */
export function answerRequests(
  { reader, now = systemSeconds, report = () => {} }: AuthorizerDeps,
  settings: AuthorizerSettings,
  admitLegacy?: DecisionDeps['admitLegacy'],
): (event: unknown) => Promise<AuthorizerResult> {
  const onRenewalFault = (error: unknown): void => report({ kind: 'renewalFault', code: codeOf(error) });
  const deps: DecisionDeps = { reader, onRenewalFault, admitLegacy };

  return async (event) => {
    const { kind, arn } = recognizeEvent(event);
    const resource = stageResource(arn);
    // Only payload 2.0 knows simple responses; anything else would take one for a malformed policy.
    const isSimple = settings.isSimple && kind === 'http2';
    let decision: Decision;
    try {
      decision = await decide(event, kind, readClock(now), deps, settings);
    } catch (error) {
      report({ kind: 'storeFault', code: codeOf(error) });
      throw error;
    }
    if ('admitted' in decision) {
      const context = authorizerContext(decision.admitted);
      return isSimple ? { isAuthorized: true, context } : allowPolicy(decision.admitted.user, resource, context);
    }
    report({ kind: 'denied', reason: decision.denied });
    // API Gateway turns exactly this message into its own 401.
    if (settings.isThrowing) throw new Error('Unauthorized');
    return isSimple ? { isAuthorized: false } : denyPolicy(resource);
  };
}

function systemSeconds(): number {
  return Date.now() / 1000;
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
