// SPDX-License-Identifier: Apache-2.0
/** The deployed function when its environment is wrong. */
import { handler } from '../../lambda/session-api/handler';

const before = process.env;
afterEach(() => {
  process.env = before;
  jest.restoreAllMocks();
});

it('fails each request with its reason in the log while a variable is missing', async () => {
  process.env = { PATH: before.PATH };
  const log = jest.spyOn(console, 'error').mockImplementation(() => {});

  await expect(handler({})).rejects.toThrow('SESSIONGATE_TABLE_NAME');
  expect(log.mock.calls).toEqual([[expect.stringContaining('SESSIONGATE_TABLE_NAME')]]);
});
