// SPDX-License-Identifier: Apache-2.0
/** The application of docs/express.md. */
import express, { type Express } from 'express';
import { SessiongateStore } from 'sessiongate/express';
import { AuthenticationSupersededError, isUserId, type Sessions, UserDisabledError } from 'sessiongate/session';
import { checkPassword } from './users';

declare module 'express-session' {
  interface SessionData {
    userId?: string;
  }
}

export function createApplication(sessions: Sessions<Record<string, unknown>>): Express {
  const store = new SessiongateStore({
    sessions,
    user: (data) => data.userId,
    setUser: (data, user) => {
      data.userId = user;
    },
    login: (_data, request) => ({ authentication: request.res?.locals.authentication }),
  });
  const app = express();
  app.use(store.middleware());

  app.post('/login', express.json(), async (request, response, next) => {
    const { username, password } = request.body ?? {};
    if (!isUserId(username)) return void response.sendStatus(401);
    const authentication = await sessions.beginAuthentication(username);
    if (!(await checkPassword(username, password))) return void response.sendStatus(401);
    response.locals.authentication = authentication;
    request.session.regenerate((failure) => {
      if (failure) return next(failure);
      request.session.userId = username;
      request.session.save((failure) => {
        if (failure instanceof UserDisabledError) return response.sendStatus(403);
        if (failure instanceof AuthenticationSupersededError) return response.sendStatus(401);
        return failure ? next(failure) : response.sendStatus(204);
      });
    });
  });

  app.get('/me', (request, response) => void response.json({ user: request.session.userId ?? null }));

  app.post('/logout', (request, response, next) => {
    request.session.destroy((failure) => (failure ? next(failure) : response.sendStatus(204)));
  });
  return app;
}
