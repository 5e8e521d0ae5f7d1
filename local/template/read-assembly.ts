// SPDX-License-Identifier: Apache-2.0
/** Reads a stack out of what CDK synthesized: its template, and where its assets lie. */
import { join } from 'node:path';
import type { App, Stack } from 'aws-cdk-lib';
import { AssetManifestArtifact } from 'aws-cdk-lib/cx-api';
import type { Template } from './template';

export interface SynthesizedStack {
  readonly name: string;
  readonly template: Template;
  /** Folder of the asset with this S3 key; undefined where there is none. */
  readonly assetFolder: (s3Key: string) => string | undefined;
}

export function readAssembly(app: App, stack: Stack): SynthesizedStack {
  // The validator takes seconds; `npx cdk synth` and the tests run it.
  process.env.CDK_VALIDATION = 'false';
  const assembly = app.synth();
  const artifact = assembly.getStackArtifact(stack.artifactId);
  const folders = new Map<string, string>();
  // The manifest says where each asset lies before it is zipped under its key.
  for (const manifest of artifact.dependencies.filter((dependency) => dependency instanceof AssetManifestArtifact))
    for (const { source, destinations } of Object.values(manifest.contents.files ?? {}))
      for (const { objectKey } of Object.values(destinations))
        if (source.path !== undefined) folders.set(objectKey, join(assembly.directory, source.path));
  return {
    name: stack.stackName,
    template: artifact.template as Template,
    assetFolder: (s3Key) => folders.get(s3Key),
  };
}
