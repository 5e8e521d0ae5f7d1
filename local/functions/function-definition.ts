// SPDX-License-Identifier: Apache-2.0
/** Reads the Lambda functions out of a template. */
import type { Resolver } from '../template/resolver';
import { TemplateError } from '../template/template';

export interface FunctionDefinition {
  readonly arn: string;
  readonly name: string;
  /** The name without the hash that CDK puts at its end. */
  readonly label: string;
  /** Folder of the built asset. */
  readonly folder: string;
  /** File name without extension, a dot, the name of the export: `index.handler`. */
  readonly handler: string;
  readonly timeoutSeconds: number;
  readonly memoryMegabytes: number;
  /** The template's variables, resolved. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Lambda's own defaults (API reference, CreateFunction). */
const DEFAULT_TIMEOUT_SECONDS = 3;
const DEFAULT_MEMORY_MEGABYTES = 128;

/**
 * @param assetFolder - the folder that holds the asset with this S3 key; undefined where there is none
 * @throws TemplateError for a function without an asset folder
 */
export function readFunctionDefinitions(
  resolver: Resolver,
  assetFolder: (s3Key: string) => string | undefined,
): readonly FunctionDefinition[] {
  return resolver.resourcesOf('AWS::Lambda::Function').map(({ logicalId, properties }) => {
    const code = properties.Code as { S3Key?: string } | undefined;
    const folder = code?.S3Key === undefined ? undefined : assetFolder(code.S3Key);
    if (folder === undefined)
      throw new TemplateError(`the function ${logicalId} has no asset folder; the local stack runs no other code`);
    const variables = (properties.Environment as { Variables?: Record<string, unknown> } | undefined)?.Variables ?? {};
    return {
      arn: String(resolver.resolve({ 'Fn::GetAtt': [logicalId, 'Arn'] })),
      name: resolver.physicalName(logicalId),
      label: resolver.physicalName(logicalId).replace(/[0-9A-F]{8}$/, ''),
      folder,
      handler: String(properties.Handler),
      timeoutSeconds: Number(properties.Timeout ?? DEFAULT_TIMEOUT_SECONDS),
      memoryMegabytes: Number(properties.MemorySize ?? DEFAULT_MEMORY_MEGABYTES),
      environment: Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, String(value)])),
    };
  });
}
