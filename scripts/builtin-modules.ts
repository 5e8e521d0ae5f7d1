// SPDX-License-Identifier: Apache-2.0
/**
 * An esbuild plugin for ES modules: takes Node's own modules by `process.getBuiltinModule`. An `import` of `node:http` reads
 * every lazy getter of the module and loads what hides behind them, tens of milliseconds of each cold start.
 */
import type { Plugin } from 'esbuild';

/** What the sources use of each module; an import of anything else fails the build. */
const USED: Readonly<Record<string, readonly string[]>> = {
  'node:crypto': ['createHmac', 'hash', 'randomBytes'],
  'node:http': ['Agent', 'request'],
  'node:https': ['Agent', 'request'],
};

export const builtinModules: Plugin = {
  name: 'builtin-modules',
  setup(build) {
    build.onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: 'builtin' }));
    build.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => {
      if (path === 'node:') return { contents: 'export const get = process.getBuiltinModule;' };
      const names = USED[path];
      if (names === undefined) return { errors: [{ text: `${path} is not among the modules that the asset may use` }] };
      const contents = `import { get } from 'node:'; export const { ${names.join(', ')} } = get('${path}');`;
      return { contents };
    });
  },
};
