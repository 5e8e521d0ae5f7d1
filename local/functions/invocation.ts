// SPDX-License-Identifier: Apache-2.0
/** What an invocation of a function gives back. */

export interface InvocationFailure {
  /** `init`: it never became ready; `handler`: it threw; `timeout`; `exit`: it ended under the request. */
  readonly kind: 'init' | 'handler' | 'timeout' | 'exit';
  readonly errorType: string;
  readonly errorMessage: string;
}

/** A result as its JSON came back (`undefined` became null), or why there is none. */
export type InvocationOutcome = { readonly result: unknown } | { readonly failure: InvocationFailure };

/** Invokes a function by its ARN. Never rejects: a failure is an outcome. */
export type InvokeFunction = (functionArn: string, event: unknown) => Promise<InvocationOutcome>;
