// SPDX-License-Identifier: Apache-2.0
/** Refuses options that nothing would read: a misspelt one would silently leave its default in force. */
import { ConfigurationError } from './settings';

/** Each option of `Options` once; the compiler misses the one that is forgotten. */
export type OptionNames<Options> = Readonly<Record<keyof Options, true>>;

/**
 * @param hints what to say of an option that does not exist, such as another system's name for one
 * @throws ConfigurationError naming the option, and those that there are
 */
export function refuseUnknownOptions<Options extends object>(
  options: Options,
  names: OptionNames<Options>,
  hints: Readonly<Record<string, string>> = {},
): void {
  const known = Object.keys(names).join(', ');
  if (typeof options !== 'object' || options === null)
    throw new ConfigurationError(`options must be an object with ${known}`);
  for (const option of Object.keys(options)) {
    if (Object.hasOwn(names, option)) continue;
    const hint = Object.hasOwn(hints, option) ? ` (${hints[option]})` : '';
    throw new ConfigurationError(`${option} must be one of the options${hint}: ${known}`);
  }
}
