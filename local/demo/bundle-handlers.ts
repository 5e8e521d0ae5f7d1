// SPDX-License-Identifier: Apache-2.0
/** Bundles the demonstration's handlers into folders that CDK takes as assets. */
import { join } from 'node:path';
import { build, stop } from 'esbuild';

export interface DemoAssets {
  readonly login: string;
  readonly hello: string;
}

/** @param folder - where to put them */
export async function bundleDemoHandlers(folder: string): Promise<DemoAssets> {
  await build({
    entryPoints: {
      'login/index': join(__dirname, 'login-handler.ts'),
      'hello/index': join(__dirname, 'hello-handler.ts'),
    },
    outdir: folder,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    logLevel: 'warning',
  });
  // Its process would stay for the life of this one.
  await stop();
  return { login: join(folder, 'login'), hello: join(folder, 'hello') };
}
