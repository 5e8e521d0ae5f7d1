// SPDX-License-Identifier: Apache-2.0
/** One live session, recorded events, and an authorizer whose reads and writes are counted. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AuthorizerReport, AuthorizerResult } from '../../lambda/authorizer/answer-requests';
import { createAuthorizer } from '../../lambda/authorizer/create-authorizer';
import type { AuthorizerOptions } from '../../lambda/authorizer/options';
import type { SessionReader } from '../../lambda/authorizer/reader';
import type { SessionRenewal } from '../../lambda/session/renewal';
import type { Item, ItemKey } from '../../lambda/session/store';
import { hashSessionToken } from '../../lambda/session/token';

export const NOW = 1_800_000_000;
export const COOKIE_NAME = '__Host-session';
export const ALLOWED_ORIGIN = 'https://app.example.com';
/** The token in the recorded events. */
export const TOKEN = Buffer.from(Array.from({ length: 32 }, (_, index) => index)).toString('base64url');
export const TOKEN_HASH = hashSessionToken(TOKEN);
export const UNKNOWN_TOKEN = Buffer.alloc(32, 0x55).toString('base64url');

// biome-ignore lint/suspicious/noExplicitAny: tests change events freely
export type Event = any;

export function recordedEvent(name: string): Event {
  return JSON.parse(readFileSync(join(__dirname, `../events/${name}.json`), 'utf8'));
}

export function restEvent(
  changes: { method?: string; headers?: Record<string, unknown>; cookie?: string } = {},
): Event {
  const { method = 'GET', headers = {}, cookie = `${COOKIE_NAME}=${TOKEN}` } = changes;
  return {
    type: 'REQUEST',
    methodArn: `arn:aws:execute-api:eu-west-1:123456789012:abcdef1234/prod/${method}/hello`,
    httpMethod: method,
    headers: { Cookie: cookie, ...headers },
    requestContext: { domainName: 'api.example.com' },
  };
}

export function sessionItem(changes: Record<string, unknown> = {}): Item {
  return {
    PK: { S: `S#${TOKEN_HASH}` },
    SK: { S: 'S#' },
    type: { S: 'session' },
    user: { S: 'alice' },
    user_pk: { S: 'U#alice' },
    user_sk: { S: 'PROFILE' },
    created_at: { N: String(NOW - 1000) },
    issued_at: { N: String(NOW - 1000) },
    authenticated_at: { N: String(NOW - 1000) },
    expires_at: { N: String(NOW + 3600) },
    generation: { N: '0' },
    version: { N: '1' },
    ...changes,
  } as Item;
}

export interface Calls {
  readonly reads: string[];
  readonly recordReads: ItemKey[];
  readonly renewals: SessionRenewal[];
  readonly reports: AuthorizerReport[];
}

export interface Table {
  readonly item?: unknown;
  readonly record?: unknown;
  readonly renew?: () => Promise<boolean>;
  /** Claims and user items, by partition key. */
  readonly others?: Readonly<Record<string, unknown>>;
}

/** Answers with `table.item` whatever is asked for; the strict validation notices if that is wrong. */
export function authorizerOver(
  table: Table,
  options: Partial<AuthorizerOptions> = {},
): { authorize: (event: unknown) => Promise<AuthorizerResult>; calls: Calls } {
  const calls: Calls = { reads: [], recordReads: [], renewals: [], reports: [] };
  const reader: SessionReader = {
    async readSession(partitionKey) {
      calls.reads.push(partitionKey);
      return table.item as Item | undefined;
    },
    async readUserRecord(key) {
      calls.recordReads.push(key);
      return table.record as Item | undefined;
    },
    async renewSession(_, renewal) {
      calls.renewals.push(renewal);
      return (await table.renew?.()) ?? true;
    },
    async readItem({ partitionKey }) {
      return table.others?.[partitionKey] as Item | undefined;
    },
  };
  const authorize = createAuthorizer(
    { reader, now: () => NOW, report: (report) => calls.reports.push(report) },
    { cookieName: COOKIE_NAME, allowedOrigins: [ALLOWED_ORIGIN], ...options },
  );
  return { authorize, calls };
}

export const ALLOW = { policyDocument: { Statement: [{ Effect: 'Allow' }] } };
export const DENY = { principalId: 'denied', policyDocument: { Statement: [{ Effect: 'Deny' }] } };
