// SPDX-License-Identifier: Apache-2.0
/** What `npm start` makes of its arguments and variables. */
import { readOptions } from '../../local/options';

const FOLDER = '/data';

describe('takes', () => {
  it('port 3000, HTTP and the data folder where nothing is said', () => {
    expect(readOptions([], { PORT: '', DYNAMODB_ENDPOINT: '', DYNAMODB_TABLE: '' }, FOLDER)).toEqual({
      port: 3000,
      https: false,
      folder: FOLDER,
    });
  });

  it('another port, HTTPS and no folder', () => {
    expect(readOptions(['--https', '--memory'], { PORT: '0' }, FOLDER)).toEqual({ port: 0, https: true });
  });

  it('another emulator, with made-up credentials', () => {
    expect(readOptions([], { DYNAMODB_ENDPOINT: 'http://localhost:8000/' }, FOLDER).dynamoDb).toEqual({
      endpoint: 'http://localhost:8000',
      region: 'us-east-1',
      credentials: { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' },
    });
  });

  it("a real table, with the region of its endpoint and the environment's credentials", () => {
    const variables = {
      DYNAMODB_ENDPOINT: 'https://dynamodb.eu-west-1.amazonaws.com',
      DYNAMODB_TABLE: 'sessions',
      AWS_REGION: 'us-west-2',
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'key',
      AWS_SESSION_TOKEN: 'token',
    };

    expect(readOptions([], variables, FOLDER).dynamoDb).toEqual({
      endpoint: 'https://dynamodb.eu-west-1.amazonaws.com',
      region: 'eu-west-1',
      tableName: 'sessions',
      credentials: { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'key', AWS_SESSION_TOKEN: 'token' },
    });
  });
});

describe('refuses, naming it,', () => {
  it.each<[string, string[], Record<string, string>, RegExp]>([
    ['an unknown argument', ['--htps'], {}, /argument --htps is not known/],
    ['a port that is text', [], { PORT: 'web' }, /PORT must be .* got web/],
    ['a port out of range', [], { PORT: '65536' }, /PORT must be .* got 65536/],
    ['an endpoint that is no URL', [], { DYNAMODB_ENDPOINT: 'localhost' }, /DYNAMODB_ENDPOINT must be a URL/],
    ['an endpoint of another scheme', [], { DYNAMODB_ENDPOINT: 'ftp://localhost' }, /DYNAMODB_ENDPOINT must be a URL/],
    ['a table without an endpoint', [], { DYNAMODB_TABLE: 'sessions' }, /DYNAMODB_TABLE needs DYNAMODB_ENDPOINT/],
  ])('%s', (_name, args, variables, message) => {
    expect(() => readOptions(args, variables, FOLDER)).toThrow(
      expect.objectContaining({ name: 'StartError', message: expect.stringMatching(message) }),
    );
  });

  it('never shows a password that stands in an endpoint', () => {
    expect(() => readOptions([], { DYNAMODB_ENDPOINT: 'http://me:secret@localhost' }, FOLDER)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('secret') }),
    );
  });
});
