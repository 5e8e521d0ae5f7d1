// SPDX-License-Identifier: Apache-2.0
/** The modules of docs/migration-express.md stand there as they are tried here. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { resolveSettings } from '../../lambda/settings';

const FOLDER = join(__dirname, 'documented');
const document = readFileSync(join(__dirname, '../../docs/migration-express.md'), 'utf8');

test.each(['old-sessions', 'sessions', 'authorizer', 'cookie-session'])('%s is shown as it is', (name) => {
  const [, ...source] = readFileSync(join(FOLDER, `${name}.ts`), 'utf8').split(/(?<=\*\/\n)(?=import)/);
  const shown = document.split(`<!-- test/legacy/documented/${name}.ts -->\n`)[1];

  expect(source.join('')).not.toBe('');
  expect(/^```ts\n(.*?)```/s.exec(shown ?? '')?.[1]).toBe(source.join(''));
});

describe('the modules', () => {
  const before = process.env;
  afterAll(() => {
    process.env = before;
  });

  function load(name: string, mode: string | undefined): Record<string, unknown> {
    process.env = {
      SESSIONGATE_TABLE_NAME: 'sessions',
      SESSIONGATE_SETTINGS: JSON.stringify(resolveSettings({})),
      TABLE_NAME: 'sessions',
      ...(mode === undefined ? {} : { OLD_SESSIONS: mode }),
    };
    jest.resetModules();
    return jest.requireActual(join(FOLDER, name));
  }

  test.each(['on', 'dryRun', 'off'])('work in the mode %s', (mode) => {
    expect(load('sessions', mode).sessions).toMatchObject({ legacy: expect.anything() });
    expect(load('authorizer', mode).handler).toBeInstanceOf(Function);
    expect(load('cookie-session', mode).oldSessions).toMatchObject({
      cookieNames: ['session-cookie', 'session-cookie.sig'],
    });
  });

  test.each(['sessions', 'authorizer'])('%s does not start without the switch', (name) => {
    for (const mode of [undefined, 'onn'])
      expect(() => load(name, mode)).toThrow('OLD_SESSIONS must be dryRun, on or off');
  });

  test('refuse the name that cookies of ours have on plain HTTP', () => {
    load('sessions', 'on');
    const { createSessions } = jest.requireActual('../../lambda/session');
    const { createCookieSessionSource } = jest.requireActual('../../lambda/legacy');
    const source = createCookieSessionSource({ keys: ['k'], acceptUntil: 2e9 });

    expect(() =>
      createSessions({ cookieName: 'session', insecureLocalhost: true, store: {}, legacy: { sources: [source] } }),
    ).toThrow('not have the cookie session, which is that of our own sessions; give one of the two another name');
  });
});
