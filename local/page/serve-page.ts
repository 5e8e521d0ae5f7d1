// SPDX-License-Identifier: Apache-2.0
/** Serves the page at `/` and its files, from memory. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GatewayAnswer, GatewayRequest, HeaderList } from '../gateway/exchange';

const SCRIPT = 'text/javascript; charset=utf-8';
const FILES: Readonly<Record<string, readonly [file: string, type: string]>> = {
  '/': ['index.html', 'text/html; charset=utf-8'],
  '/_local/icon.svg': ['icon.svg', 'image/svg+xml'],
  '/_local/page.css': ['page.css', 'text/css; charset=utf-8'],
  '/_local/page.mjs': ['page.mjs', SCRIPT],
  '/_local/devices.mjs': ['devices.mjs', SCRIPT],
  '/_local/requests.mjs': ['requests.mjs', SCRIPT],
  '/_local/show.mjs': ['show.mjs', SCRIPT],
};

const HEADERS: HeaderList = [
  ['Cache-Control', 'no-cache'],
  [
    'Content-Security-Policy',
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  ],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Referrer-Policy', 'no-referrer'],
  ['X-Content-Type-Options', 'nosniff'],
];

/** Undefined for a request that is not for the page. */
export type PageHandler = (request: GatewayRequest) => GatewayAnswer | undefined;

export function createPageHandler(): PageHandler {
  const answers = new Map(
    Object.entries(FILES).map(([path, [file, type]]) => [
      path,
      {
        statusCode: 200,
        headers: [['Content-Type', type], ...HEADERS] as HeaderList,
        body: readFileSync(join(__dirname, file)),
      },
    ]),
  );
  return ({ method, path }) => (method === 'GET' || method === 'HEAD' ? answers.get(path) : undefined);
}
