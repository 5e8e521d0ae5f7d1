// SPDX-License-Identifier: Apache-2.0
/** An Express application on the store under test, with a request that can be held up while others go by. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Express, type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { SessionConflictError, type SessionError } from '../../lambda/session/errors';

declare module 'express-session' {
  interface SessionData {
    userId?: string;
    visits?: number;
    note?: string;
    passport?: { user?: string };
  }
}

export interface Application {
  readonly url: string;
  /** What reached the error handler, oldest first. */
  readonly failures: SessionError[];
  /** Resolves once so many requests to `/held` wait with their session read; `release` lets them go on. */
  held(count: number): Promise<void>;
  release(): void;
  close(): Promise<void>;
}

/** Adds routes of a test's own. */
export type Routes = (app: Express) => void;

export async function startApplication(middleware: RequestHandler, routes: Routes = () => {}): Promise<Application> {
  const app = express();
  const failures: SessionError[] = [];
  const waiting: (() => void)[] = [];
  let onArrival = (): void => {};

  app.get('/public', (_request, response) => void response.json({}));
  app.use(middleware);
  routes(app);

  app.get('/login', (request, response, next) => {
    request.session.regenerate((failure) => {
      if (failure) return next(failure);
      request.session.userId = String(request.query.user);
      request.session.save((failure) => (failure ? next(failure) : response.json({})));
    });
  });
  app.get('/login-in-place', (request, response, next) => {
    request.session.userId = String(request.query.user);
    request.session.save((failure) => (failure ? next(failure) : response.json({})));
  });
  // Whatever the session should say: it is the store that looks at it.
  app.get('/login-with', (request, response, next) => {
    request.session.regenerate((failure) => {
      if (failure) return next(failure);
      Object.assign(request.session, JSON.parse(String(request.query.data)));
      request.session.save((failure) => (failure ? next(failure) : response.json({})));
    });
  });
  app.get('/login-stubbornly', (request, response, next) => {
    request.session.userId = String(request.query.user);
    request.session.save(() => {
      request.session.save((failure) => (failure ? next(failure) : response.json({})));
    });
  });
  app.get('/login-as-one-of', (request, response, next) => {
    const tryNext = ([user, ...others]: string[]): void => {
      request.session.regenerate((failure) => {
        if (failure) return next(failure);
        request.session.userId = user;
        request.session.save((failure) => {
          if (failure && others.length > 0) return tryNext(others);
          return failure ? next(failure) : response.json({});
        });
      });
    };
    tryNext(String(request.query.users).split(','));
  });
  app.get('/visit', (request, response) => {
    request.session.visits = (request.session.visits ?? 0) + 1;
    response.json({ visits: request.session.visits });
  });
  app.get('/me', (request, response) => {
    const { userId = null, visits = 0, note = null } = request.session;
    response.json({ user: userId, visits, note, id: request.sessionID });
  });
  app.get('/held', async (request, response, next) => {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      onArrival();
    });
    if (typeof request.query.note === 'string') request.session.note = request.query.note;
    request.session.save((failure) => {
      if (failure instanceof SessionConflictError) return response.status(409).json({});
      return failure ? next(failure) : response.json({});
    });
  });
  app.get('/held-touch', async (_request, response) => {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      onArrival();
    });
    response.json({});
  });
  app.get('/logout', (request, response, next) => {
    request.session.destroy((failure) => (failure ? next(failure) : response.json({})));
  });
  app.get('/end-another', (request, response, next) => {
    request.sessionStore.destroy(String(request.query.id), (failure) => (failure ? next(failure) : response.json({})));
  });
  app.get('/put-aside', (request, response) => {
    (request as { session: unknown }).session = null;
    response.json({});
  });
  app.get('/forget', (request, response) => {
    delete request.session.userId;
    response.json({});
  });
  // As Passport does: the user goes from the data, the session is saved, then regenerated.
  app.get('/passport-logout', (request, response, next) => {
    delete request.session.userId;
    request.session.save((failure) => {
      if (failure) return next(failure);
      return request.session.regenerate((failure) => (failure ? next(failure) : response.json({})));
    });
  });
  app.use((failure: SessionError, _request: Request, response: Response, _next: NextFunction) => {
    failures.push(failure);
    if (!response.headersSent) response.status(500).json({ code: failure.code });
  });

  const server = await new Promise<Server>((resolve) => {
    const listening = app.listen(0, '127.0.0.1', () => resolve(listening));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    failures,
    held: (count) =>
      new Promise((resolve) => {
        onArrival = () => {
          if (waiting.length >= count) resolve();
        };
        onArrival();
      }),
    release: () => {
      for (const go of waiting.splice(0)) go();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
