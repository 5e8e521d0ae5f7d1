// SPDX-License-Identifier: Apache-2.0
/** One world for every variant: a stub of DynamoDB over HTTPS, the environment of a function, and a request with every cookie. */
import { type ChildProcess, fork } from 'node:child_process';
import { createHmac, createSign, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { generate } from 'selfsigned';
import { readSessionRequest } from '../lambda/authorizer/table-request';
import { generateSessionToken } from '../lambda/session/token';
import { DEFAULT_ATTRIBUTE_NAMES, resolveSettings } from '../lambda/settings';

export interface BenchEnvironment {
  readonly variables: Readonly<Record<string, string>>;
  readonly event: object;
  close(): void;
}

const SECRET = 'a secret of at least thirty-two characters';

/** @param folder takes certificate and settings of the stub */
export async function startBenchEnvironment(
  folder: string,
  stub: { readonly delayMillis?: number; readonly dataBytes?: number } = {},
): Promise<BenchEnvironment> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  const certificate = join(folder, 'certificate.pem');
  writeFileSync(certificate, cert);
  const settings = join(folder, 'stub.json');
  writeFileSync(settings, JSON.stringify({ key, cert, ...stub }));
  const server: ChildProcess = fork(join(__dirname, 'processes/stub.mjs'), [settings]);
  const [{ port }] = (await once(server, 'message')) as [{ port: number }];
  const { jwt, jwks } = signedJwt();
  const endpoint = `https://127.0.0.1:${port}`;
  return {
    variables: {
      PATH: process.env.PATH ?? '',
      NODE_EXTRA_CA_CERTS: certificate,
      NODE_ENV: 'production',
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'AKIDEXAMPLEEXAMPLE00',
      AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
      // As long as those of Lambda.
      AWS_SESSION_TOKEN: 'IQoJb3JpZ2luX2VjE'.repeat(55),
      SESSIONGATE_TABLE_NAME: 'sessions',
      SESSIONGATE_SETTINGS: JSON.stringify(resolveSettings()),
      SESSIONGATE_ENDPOINT: endpoint,
      BENCH_ENDPOINT: endpoint,
      BENCH_SECRET: SECRET,
      BENCH_JWKS: JSON.stringify(jwks),
      BENCH_REQUEST: JSON.stringify(
        readSessionRequest({ tableName: 'sessions', attributeNames: DEFAULT_ATTRIBUTE_NAMES }, 'S#{{HASH}}'),
      ),
    },
    event: requestEvent([
      'theme=dark',
      `__Host-session=${generateSessionToken()}`,
      expressCookie(),
      ...signedCookies(),
      `jwt=${jwt}`,
      `iron=${encodeURIComponent(await sealedCookie())}`,
    ]),
    close: () => server.disconnect(),
  };
}

function requestEvent(cookies: readonly string[]): object {
  return {
    type: 'REQUEST',
    methodArn: 'arn:aws:execute-api:eu-central-1:123456789012:abcdef1234/prod/GET/hello',
    resource: '/hello',
    path: '/hello',
    httpMethod: 'GET',
    headers: { Cookie: cookies.join('; '), Host: 'api.example.com', 'User-Agent': 'bench', Accept: '*/*' },
    multiValueHeaders: { Cookie: [cookies.join('; ')], Host: ['api.example.com'], Accept: ['*/*'] },
    requestContext: { domainName: 'api.example.com', httpMethod: 'GET', stage: 'prod', apiId: 'abcdef1234' },
  };
}

function expressCookie(): string {
  const id = 'b'.repeat(32);
  const signature = createHmac('sha256', SECRET).update(id).digest('base64').replace(/=+$/, '');
  return `connect.sid=${encodeURIComponent(`s:${id}.${signature}`)}`;
}

function signedCookies(): string[] {
  const cookie = `cs=${Buffer.from('{"user":"alice"}').toString('base64')}`;
  return [cookie, `cs.sig=${createHmac('sha1', SECRET).update(cookie).digest('base64url')}`];
}

async function sealedCookie(): Promise<string> {
  const file = join(__dirname, 'node_modules/iron-session/dist/index.js');
  const { sealData } = (await import(pathToFileURL(file).href)) as {
    sealData(data: object, options: { password: string }): Promise<string>;
  };
  return sealData({ user: 'alice' }, { password: SECRET });
}

function signedJwt(): { jwt: string; jwks: object } {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const now = Math.floor(Date.now() / 1000);
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { iss: 'https://issuer.example', aud: 'bench', sub: 'alice', iat: now, exp: now + 86_400 };
  const signed = `${part({ alg: 'RS256', kid: 'bench', typ: 'JWT' })}.${part(claims)}`;
  const signature = createSign('sha256').update(signed).sign(privateKey).toString('base64url');
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'bench', alg: 'RS256', use: 'sig' };
  return { jwt: `${signed}.${signature}`, jwks: { keys: [jwk] } };
}
