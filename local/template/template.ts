// SPDX-License-Identifier: Apache-2.0
/** A synthesized CloudFormation template, as far as the local stack reads it. */

export interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly Metadata?: Readonly<Record<string, unknown>>;
}

export interface Template {
  readonly Resources: Readonly<Record<string, TemplateResource>>;
  readonly Parameters?: Readonly<Record<string, { readonly Default?: unknown }>>;
}

/** The account and region that the local stack plays. */
export interface StackEnvironment {
  readonly region: string;
  readonly accountId: string;
  readonly stackName: string;
}

/** The template holds something that the local stack does not know; the message names it. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}
