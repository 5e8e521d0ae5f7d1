// SPDX-License-Identifier: Apache-2.0
/** cookie-session: the session in a signed cookie, no table at all, and no way to end one. */
import cookieSession from 'cookie-session';
import { policy } from './common.mjs';

const middleware = cookieSession({ name: 'cs', keys: [process.env.BENCH_SECRET] });

export function handler(event) {
  const request = {
    headers: { cookie: event.headers.Cookie },
    url: event.path,
    method: 'GET',
    connection: { encrypted: true },
    socket: { encrypted: true },
  };
  const response = { getHeader() {}, setHeader() {}, writeHead() {}, end() {}, on() {} };
  return new Promise((resolve, reject) =>
    middleware(request, response, () => {
      if (request.session?.user === undefined) reject(new Error('Unauthorized'));
      else resolve(policy(event, request.session.user));
    }),
  );
}
