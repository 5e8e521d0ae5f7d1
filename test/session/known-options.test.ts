// SPDX-License-Identifier: Apache-2.0
/** Options that nothing would read are refused, and the error helps. */
import { type OptionNames, refuseUnknownOptions } from '../../lambda/known-options';
import { ConfigurationError } from '../../lambda/settings';

interface Options {
  readonly cookieName?: string | undefined;
  readonly keys: readonly string[];
}
const NAMES: OptionNames<Options> = { cookieName: true, keys: true };

const check = (options: unknown) => () =>
  refuseUnknownOptions(options as Options, NAMES, { name: "the cookie's name is cookieName" });

it.each([[{ keys: [] }], [{ keys: [], cookieName: undefined }], [{}]])('lets the options %j through', (options) => {
  expect(check(options)).not.toThrow();
});

it.each([
  [{ keys: [], cookeName: 'a' }, 'cookeName must be one of the options: cookieName, keys'],
  [{ keys: [], toString: 'a' }, 'toString must be one of the options: cookieName, keys'],
  [{ name: undefined }, "name must be one of the options (the cookie's name is cookieName): cookieName, keys"],
  [undefined, 'options must be an object with cookieName, keys'],
  ['text', 'options must be an object with cookieName, keys'],
])('refuses %j', (options, message) => {
  expect(check(options)).toThrow(new ConfigurationError(message));
});
