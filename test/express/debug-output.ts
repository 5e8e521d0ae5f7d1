// SPDX-License-Identifier: Apache-2.0
/** Switches the debug output of express-session on, as DEBUG=express-session does; import it before whatever loads that. */
// Its own copy.
const debug = require(require.resolve('debug', { paths: [require.resolve('express-session')] }));

export const printed: string[] = [];

debug.enable('express-session');
debug.log = (...words: unknown[]) => printed.push(words.map(String).join(' '));
