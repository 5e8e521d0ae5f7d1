// SPDX-License-Identifier: Apache-2.0
/** A session API with all that it needs. */
import {
  SessionApi,
  type SessionApiOptions,
  SessionAuthorizerFunction,
  SessionTable,
  type SessionTableProps,
} from '../../lib';
import { createStack } from './synthesis';

export function createApi(
  options: SessionApiOptions & { readonly table?: SessionTableProps } = {},
  stack = createStack(),
) {
  const sessionTable = new SessionTable(stack, 'Sessions', options.table);
  const authorizerFunction = new SessionAuthorizerFunction(stack, 'AuthorizerFunction', { sessionTable });
  const sessionApi = new SessionApi(stack, 'SessionApi', { sessionTable, authorizerFunction, ...options });
  return { stack, sessionApi, sessionTable, authorizerFunction };
}
