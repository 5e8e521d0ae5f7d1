// SPDX-License-Identifier: Apache-2.0
/**
 * The package as a team has it: packed, unpacked into an empty project, beside aws-cdk-lib and constructs and nothing
 * else. No bundler, none of our sources. Runs after a build.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { buildSync } from 'esbuild';
import { preProcessFile } from 'typescript';

const root = join(__dirname, '../..');
const project = realpathSync(mkdtempSync(join(tmpdir(), 'sessiongate-consumer-')));
const installed = join(project, 'node_modules/sessiongate');

beforeAll(() => {
  execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', project], { cwd: root });
  const tarball = readdirSync(project).find((name) => name.endsWith('.tgz')) ?? '';
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', join(project, tarball), '--strip-components', '1', '-C', installed]);
  for (const name of ['aws-cdk-lib', 'constructs', '@types/node', '@aws-sdk/client-dynamodb']) link(name);
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

function link(name: string): void {
  const place = join(project, 'node_modules', name);
  mkdirSync(dirname(place), { recursive: true });
  symlinkSync(join(root, 'node_modules', name), place);
}

function run(fileName: string, source: string): string {
  writeFileSync(join(project, fileName), source);
  const env = { PATH: dirname(process.execPath), HOME: project, CDK_VALIDATION: 'false' };
  return execFileSync(process.execPath, [fileName], { cwd: project, encoding: 'utf8', env });
}

const APP = `
const app = new App({ outdir: OUTDIR });
const stack = new SessionStack(app, 'Sessions', { allowedOrigins: ['https://app.example.com'] });
const { sessionTable } = stack;
new ExpiredSessionsCleaner(stack, 'Cleaner', { sessionTable });
const table = Table.fromTableName(stack, 'OldSessions', 'php_sessions');
new SessionStack(app, 'Moving', { legacySessions: [LegacySessions.php({ table, userPath: 'user_id' })] });
app.synth();
`;

const NAMES = {
  'aws-cdk-lib': '{ App }',
  'aws-cdk-lib/aws-dynamodb': '{ Table }',
  sessiongate: '{ ExpiredSessionsCleaner, LegacySessions, SessionStack }',
};

describe.each([
  ['CommonJS', 'app.cjs', importsBy((names, from) => `const ${names} = require('${from}');`)],
  ['ES modules', 'app.mjs', importsBy((names, from) => `import ${names} from '${from}';`)],
])('an app of %s', (_name, fileName, imports) => {
  const output = join(project, `${fileName}.out`);
  beforeAll(() => run(fileName, `${imports}${APP.replace('OUTDIR', JSON.stringify(output))}`));

  test('synthesizes the stack', () => {
    const { Resources } = JSON.parse(readFileSync(join(output, 'Sessions.template.json'), 'utf8'));

    const types = Object.values(Resources as Record<string, { Type: string }>).map(({ Type }) => Type);
    expect(types).toEqual(expect.arrayContaining(['AWS::DynamoDB::GlobalTable', 'AWS::ApiGateway::Authorizer']));
  });

  test('deploys the functions that the package ships, byte for byte', () => {
    const assets = readdirSync(output).filter((name) => name.startsWith('asset.'));
    const shipped = readdirSync(join(installed, 'dist/assets')).map((name) =>
      contentsOf(join(installed, 'dist/assets', name)),
    );

    expect(assets.map((name) => contentsOf(join(output, name))).sort()).toEqual(shipped.sort());
  });
});

function importsBy(write: (names: string, from: string) => string): string {
  return Object.entries(NAMES)
    .map(([from, names]) => write(names, from))
    .join('\n');
}

/** By hash: nobody wants to read the difference of two bundles. */
function contentsOf(folder: string): string {
  return readdirSync(folder)
    .map(
      (name) =>
        `${name} ${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}`,
    )
    .join('\n');
}

test('both kinds of app get the same template', () => {
  const templateOf = (fileName: string) =>
    readFileSync(join(project, `${fileName}.out`, 'Sessions.template.json'), 'utf8');

  expect(templateOf('app.mjs')).toBe(templateOf('app.cjs'));
});

test('the session library needs the AWS SDK only for its store, and no CDK', () => {
  const source = `
    import { MemorySessionStore, createSessions } from 'sessiongate/session';
    const sessions = createSessions({ store: new MemorySessionStore() });
    const { setCookie } = await sessions.create({ user: 'alice' });
    console.log((await sessions.read(setCookie.split(';')[0])).user);
  `;

  expect(run('library.mjs', source)).toBe('alice\n');
});

describe('without the clients of Secrets Manager and Parameter Store', () => {
  const source = `
    import { createExpressSessionSource, createSecrets } from 'sessiongate/legacy';
    const store = { read: async () => undefined, end: async () => {} };
    console.log(createExpressSessionSource({ store, secrets: ['s'] }).name);
    const tell = ({ name, message }) => console.log(name, message);
    createSecrets({ secretId: 'a' }).prepare().catch(tell);
    createSecrets({ parameterName: 'b' }).prepare().catch(tell);
  `;
  const expected = [
    'express-session',
    expect.stringMatching(
      /^ConfigurationError secretId needs the package @aws-sdk\/client-secrets-manager: install it/,
    ),
    expect.stringMatching(/^ConfigurationError parameterName needs the package @aws-sdk\/client-ssm: install it/),
    '',
  ];

  test('readers of older systems work, and say which one is missing when it is needed', () => {
    expect(run('legacy.mjs', source).split('\n')).toEqual(expected);
  });

  test('a bundler leaves them to the run time', () => {
    writeFileSync(join(project, 'entry.mjs'), source);
    const { outputFiles } = buildSync({
      absWorkingDir: project,
      entryPoints: ['entry.mjs'],
      bundle: true,
      platform: 'node',
      write: false,
      logLevel: 'error',
    });

    expect(run('bundle.cjs', outputFiles[0]?.text ?? '').split('\n')).toEqual(expected);
  });
});

test('every file finds what it imports: in the package, or among what the package declares', () => {
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  const declared = Object.keys({ ...dependencies, ...peerDependencies });
  const files = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' })
    .map((name) => join(installed, 'dist', name))
    .filter((file) => /^(?!.*\/dist\/assets\/).*\.(js|d\.ts)$/.test(file));

  const missing = files.flatMap((file) =>
    preProcessFile(readFileSync(file, 'utf8'), true, true)
      .importedFiles.map(({ fileName }) => fileName)
      .filter((specifier) => !isFound(file, specifier, declared))
      .map((specifier) => `${relative(installed, file)}: ${specifier}`),
  );

  expect(files.length).toBeGreaterThan(50);
  expect(missing).toEqual([]);
});

function isFound(file: string, specifier: string, declared: readonly string[]): boolean {
  if (specifier.startsWith('node:')) return true;
  if (!specifier.startsWith('.'))
    return declared.some((name) => specifier === name || specifier.startsWith(`${name}/`));
  const target = join(dirname(file), specifier);
  const ending = file.endsWith('.d.ts') ? '.d.ts' : '.js';
  return [`${target}${ending}`, join(target, `index${ending}`)].some((candidate) => existsSync(candidate));
}

test('the types of the library are sound in a strict project', () => {
  const source = `
    import type { APIGatewayProxyEventV2, APIGatewayProxyHandlerV2 } from 'aws-lambda';
    import { createAuthorizer } from 'sessiongate/authorizer';
    import { createSessions, type Session, withSession } from 'sessiongate/session';
    interface Data { cart: string[] }
    export const read = (event: unknown): Promise<Session<Data> | null> => createSessions<Data>().read(event);
    export const handler: APIGatewayProxyHandlerV2 = withSession(
      createSessions<Data>(),
      async (event: APIGatewayProxyEventV2, { session }) => ({ statusCode: 200, body: event.rawPath + session?.data.cart }),
    );
    export const authorize = createAuthorizer({ reader: { readSession: async () => undefined } }, { cookieName: '__Host-session' });
  `;
  link('@types/aws-lambda');
  writeFileSync(join(project, 'types.mts'), source);
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const options =
    '--noEmit --strict --skipLibCheck --exactOptionalPropertyTypes --noUncheckedIndexedAccess --module node16 --target es2023';

  const { status, stdout } = spawnSync(
    process.execPath,
    [compiler, ...options.split(' '), '--types', 'node', 'types.mts'],
    {
      cwd: project,
      encoding: 'utf8',
    },
  );
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
});
