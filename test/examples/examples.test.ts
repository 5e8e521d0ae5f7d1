// SPDX-License-Identifier: Apache-2.0
/** Every example synthesizes, and does what it is there to show. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { App, Stack } from 'aws-cdk-lib';
import { resourcesOf, routesOf } from '../lib/synthesis';

const folder = join(__dirname, '../../examples');

const outputs: string[] = [];
afterAll(() => {
  for (const output of outputs) rmSync(output, { recursive: true, force: true });
});

function synthesize(name: string): (id: string) => Stack {
  const { app } = require(join(folder, name, 'app')) as { app: App };
  outputs.push(app.outdir);
  app.synth();
  return (id) => app.node.findChild(id) as Stack;
}

function authorizationOf(stack: Stack): Record<string, string> {
  return Object.fromEntries(
    Object.values(resourcesOf(stack, 'AWS::ApiGatewayV2::Route')).map(({ Properties }) => [
      Properties.RouteKey,
      Properties.AuthorizationType,
    ]),
  );
}

test('each has a test here', () => {
  const names = readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  );

  expect(names.sort()).toEqual(['http-api-existing', 'own-login', 'rest-api-existing', 'web-socket']);
});

test('rest-api-existing protects its own API and the imported one, whose stage it deploys anew', () => {
  const stackOf = synthesize('rest-api-existing');

  expect(routesOf(stackOf('Shop'))['GET /orders']).toMatchObject({ authorizationType: 'CUSTOM' });
  expect(routesOf(stackOf('Partner'))['GET /invoices']).toMatchObject({ authorizationType: 'CUSTOM' });
  const [deployment] = Object.values(resourcesOf(stackOf('Partner'), 'AWS::ApiGateway::Deployment'));
  expect(deployment?.Properties).toMatchObject({ RestApiId: 'a1b2c3d4e5', StageName: 'prod' });
  expect(stackOf('SessionPlatform').dependencies).toEqual([]);
});

test('http-api-existing protects every route but the one that says otherwise', () => {
  const stackOf = synthesize('http-api-existing');

  expect(authorizationOf(stackOf('Shop'))).toEqual({ 'GET /orders': 'CUSTOM', 'GET /health': 'NONE' });
  expect(authorizationOf(stackOf('Partner'))).toEqual({ 'GET /invoices': 'CUSTOM' });
});

test('web-socket protects $connect', () => {
  const stackOf = synthesize('web-socket');

  expect(authorizationOf(stackOf('Chat'))).toEqual({ $connect: 'CUSTOM', $default: 'NONE' });
});

test('own-login adds an open login and a protected route, both of bundled handlers', () => {
  const stackOf = synthesize('own-login');

  const routes = routesOf(stackOf('Sessions'));
  expect(routes['POST /login']).toMatchObject({ authorizationType: 'NONE' });
  expect(routes['GET /hello']).toMatchObject({ authorizationType: 'CUSTOM' });
});
