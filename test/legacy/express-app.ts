// SPDX-License-Identifier: Apache-2.0
/** An old application: Express with the session middleware under test, and a browser that keeps its cookies. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CreateTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import connectDynamoDb from 'connect-dynamodb';
import cookieSession from 'cookie-session';
import express, { type RequestHandler } from 'express';
import session, { type SessionOptions } from 'express-session';
import Keygrip from 'keygrip';

export interface OldApplication {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * `GET /login?user=…` logs in as Passport does, with `&id=…` as a login of that id; `GET /change?to=…` changes the data, `GET /me`
 * names the user, `GET /logout` logs out.
 */
export async function startOldApplication(middleware: RequestHandler): Promise<OldApplication> {
  const app = express();
  app.use(middleware);
  app.get('/login', (request, response) => {
    const state = sessionOf(request);
    state.passport = { user: request.query.user };
    state._csrf = `csrf of ${request.query.user}`;
    if (request.query.id !== undefined) state.id = request.query.id;
    response.json({ user: request.query.user });
  });
  app.get('/change', (request, response) => {
    sessionOf(request).theme = request.query.to;
    response.json({});
  });
  app.get('/me', (request, response) => {
    response.json({ user: (sessionOf(request)?.passport as { user?: string } | undefined)?.user ?? null });
  });
  app.get('/logout', (request, response) => {
    (request as unknown as { session: unknown }).session = null;
    response.json({});
  });
  const server = await new Promise<Server>((resolve) => {
    const listening = app.listen(0, '127.0.0.1', () => resolve(listening));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function sessionOf(request: express.Request): Record<string, unknown> {
  return (request as unknown as { session: Record<string, unknown> }).session;
}

export function expressSession(options: Partial<SessionOptions>): RequestHandler {
  return session({
    secret: 'old-secret',
    resave: false,
    saveUninitialized: false,
    unset: 'destroy',
    cookie: { maxAge: 86_400_000 },
    ...options,
  });
}

export function cookieSessionOf(
  keys: readonly string[],
  algorithm: 'sha1' | 'sha256',
  name = 'session-cookie',
): RequestHandler {
  return cookieSession({ name, keys: new Keygrip(keys, algorithm), maxAge: 86_400_000, secure: false });
}

/** The store of `connect-dynamodb` on a fresh table. */
export async function connectDynamoDbStore(client: DynamoDBClient, tableName = 'old-sessions'): Promise<session.Store> {
  await createOldTable(client, tableName, 'id');
  const Store = connectDynamoDb(session);
  return new Store({ table: tableName, client }) as unknown as session.Store;
}

export async function createOldTable(client: DynamoDBClient, tableName: string, hashKey: string): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName: tableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: hashKey, AttributeType: 'S' }],
      KeySchema: [{ AttributeName: hashKey, KeyType: 'HASH' }],
    }),
  );
}

/** Keeps cookies as a browser does: by name, replaced by a newer one, dropped by `Max-Age=0` or an end in the past. */
export class Browser {
  readonly cookies = new Map<string, string>();

  get cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  take(setCookies: readonly string[]): void {
    for (const setCookie of setCookies) {
      const [pair = '', ...attributes] = setCookie.split(/; */);
      const equals = pair.indexOf('=');
      const name = pair.slice(0, equals);
      const expires = attributes.find((attribute) => /^expires=/i.test(attribute))?.slice('expires='.length);
      const isOver =
        attributes.some((attribute) => /^max-age=0$/i.test(attribute)) ||
        (expires !== undefined && Date.parse(expires) <= Date.now());
      if (isOver) this.cookies.delete(name);
      else this.cookies.set(name, pair.slice(equals + 1));
    }
  }

  async visit(url: string): Promise<unknown> {
    const response = await fetch(url, { headers: { Cookie: this.cookieHeader } });
    this.take(response.headers.getSetCookie());
    return response.json();
  }

  /** Another browser with the same cookies, as after a theft. */
  copy(): Browser {
    const copy = new Browser();
    for (const [name, value] of this.cookies) copy.cookies.set(name, value);
    return copy;
  }
}
