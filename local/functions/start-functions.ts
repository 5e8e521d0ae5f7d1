// SPDX-License-Identifier: Apache-2.0
/** Runs the functions of a template, each in workers of its own. */
import type { FunctionDefinition } from './function-definition';
import { FunctionPool } from './function-pool';
import type { InvokeFunction } from './invocation';

export interface FunctionsOptions {
  /** The whole environment of a function. Default: the template's variables. Nothing of this process's own is added. */
  readonly environment?: (definition: FunctionDefinition) => Readonly<Record<string, string>>;
  /** Instances of one function at once. Default 4: enough that a burst does not wait on one slow request. */
  readonly maxInstances?: number;
  /** Takes each line that a function writes. Default: stderr, after the function's name. */
  readonly log?: (label: string, line: string) => void;
}

export interface RunningFunctions {
  readonly invoke: InvokeFunction;
  /** Starts one instance of each of these functions; rejects, naming the function, if one does not become ready. */
  warm(functionArns: Iterable<string>): Promise<void>;
  close(): Promise<void>;
}

export function startFunctions(
  definitions: readonly FunctionDefinition[],
  options: FunctionsOptions = {},
): RunningFunctions {
  const { environment = (definition) => definition.environment, maxInstances = 4, log = logToStderr } = options;
  const pools = new Map(
    definitions.map((definition) => [
      definition.arn,
      new FunctionPool(definition, {
        environment: environment(definition),
        maxInstances,
        log: (line) => log(definition.label, line),
      }),
    ]),
  );

  return {
    async invoke(functionArn, event) {
      const pool = pools.get(functionArn);
      if (pool !== undefined) return pool.invoke(event);
      const errorMessage = `the template has no function ${functionArn}`;
      return { failure: { kind: 'init', errorType: 'ResourceNotFoundException', errorMessage } };
    },
    async warm(functionArns) {
      await Promise.all(
        [...new Set(functionArns)].map(async (arn) => {
          const failure = await pools.get(arn)?.warm();
          if (failure !== undefined) throw new Error(`the function ${arn} did not start: ${failure.errorMessage}`);
        }),
      );
    },
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.end()));
    },
  };
}

function logToStderr(label: string, line: string): void {
  process.stderr.write(`[${label}] ${line}\n`);
}
