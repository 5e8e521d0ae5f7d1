// SPDX-License-Identifier: Apache-2.0
/** Functions in workers: what they see, what comes back, and what happens when they fail. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FunctionDefinition } from '../../local/functions/function-definition';
import { type FunctionsOptions, type RunningFunctions, startFunctions } from '../../local/functions/start-functions';

const closers: (() => Promise<unknown> | unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const ARN = 'arn:aws:lambda:eu-central-1:123456789012:function:tested';

function start(
  source: string,
  change: Partial<FunctionDefinition> & { file?: string } = {},
  options: FunctionsOptions = {},
): RunningFunctions & { readonly lines: string[] } {
  const { file = 'index.js', ...definition } = change;
  const folder = mkdtempSync(join(tmpdir(), 'sessiongate-function-'));
  writeFileSync(join(folder, file), source);
  const lines: string[] = [];
  const functions = startFunctions(
    [
      {
        arn: ARN,
        name: 'tested',
        label: 'tested',
        folder,
        handler: 'index.handler',
        timeoutSeconds: 10,
        memoryMegabytes: 128,
        environment: {},
        ...definition,
      },
    ],
    { log: (name, line) => lines.push(`[${name}] ${line}`), ...options },
  );
  closers.push(() => rmSync(folder, { recursive: true }), functions.close);
  return { ...functions, lines };
}

describe('an invocation', () => {
  it('gives the event to the handler and its result back, both as JSON', async () => {
    const { invoke } = start('exports.handler = async (event) => ({ event, at: new Date(0), gone: undefined });');

    expect(await invoke(ARN, { a: 1, gone: undefined })).toEqual({
      result: { event: { a: 1 }, at: '1970-01-01T00:00:00.000Z' },
    });
  });

  it('gives null for a handler that returns nothing', async () => {
    const { invoke } = start('exports.handler = async () => {};');

    expect(await invoke(ARN, {})).toEqual({ result: null });
  });

  it('loads a handler that is an ES module', async () => {
    const { invoke } = start('export const handler = async () => import.meta.url.endsWith("index.mjs");', {
      file: 'index.mjs',
    });

    expect(await invoke(ARN, {})).toEqual({ result: true });
  });

  it('shows the function its own variables, nothing of this process, and no sign of Lambda', async () => {
    process.env.OF_THIS_PROCESS = 'yes';
    const { invoke } = start('exports.handler = async () => process.env;', { environment: { OWN: 'value' } });

    const outcome = await invoke(ARN, {});

    delete process.env.OF_THIS_PROCESS;
    expect(outcome).toEqual({ result: { OWN: 'value' } });
  });

  it('tells the handler its remaining time and its name', async () => {
    const { invoke } = start(
      'exports.handler = async (_, c) => [c.functionName, c.getRemainingTimeInMillis() > 0, c.invokedFunctionArn];',
    );

    expect(await invoke(ARN, {})).toEqual({ result: ['tested', true, ARN] });
  });

  it('prefixes what the function writes with its name', async () => {
    const { invoke, lines } = start(
      'exports.handler = async () => { console.log("out"); console.error("err"); await new Promise((r) => setTimeout(r, 20)); };',
    );

    await invoke(ARN, {});

    await expectEventually(() => expect(lines.sort()).toEqual(['[tested] err', '[tested] out']));
  });
});

/** Output reaches us some turns after the answer; how many is no promise of node's. */
async function expectEventually(check: () => void): Promise<void> {
  for (let turn = 0; turn < 1000; turn += 1) {
    try {
      return check();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
  check();
}

describe('a failure', () => {
  it.each([
    ['an error', 'throw new TypeError("broken")', 'TypeError', 'broken'],
    ['the message that API Gateway looks for', 'throw new Error("Unauthorized")', 'Error', 'Unauthorized'],
    ['text that is thrown', 'throw "Unauthorized"', 'string', 'Unauthorized'],
    ['a result that is no JSON', 'return 1n', 'TypeError', expect.stringContaining('BigInt')],
  ])('of the handler says what was thrown: %s', async (_name, body, errorType, errorMessage) => {
    const { invoke } = start(`exports.handler = async () => { ${body}; };`);

    expect(await invoke(ARN, {})).toEqual({ failure: { kind: 'handler', errorType, errorMessage } });
  });

  it.each([
    ['its file throws', 'throw new Error("SESSIONGATE_TABLE_NAME is missing");', 'SESSIONGATE_TABLE_NAME is missing'],
    ['its file ends the process with success', 'process.exit(0);', 'ended without an answer'],
    ['it exports no handler', 'exports.other = 1;', 'index.handler is not exported'],
    ['its file cannot be parsed', 'exports.handler = (;', 'Unexpected token'],
  ])('of the init, when %s', async (_name, source, message) => {
    const { invoke, warm } = start(source);

    await expect(warm([ARN])).rejects.toThrow(message);
    expect(await invoke(ARN, {})).toEqual({
      failure: expect.objectContaining({ kind: 'init', errorMessage: expect.stringContaining(message) }),
    });
  });

  it('is a timeout when the handler never answers, and the next request gets a new instance', async () => {
    const { invoke } = start('exports.handler = async (e) => (e.hang ? new Promise(() => {}) : "served");', {
      timeoutSeconds: 1,
    });

    expect(await invoke(ARN, { hang: true })).toEqual({
      failure: expect.objectContaining({ kind: 'timeout', errorMessage: 'task timed out after 1 seconds' }),
    });
    expect(await invoke(ARN, {})).toEqual({ result: 'served' });
  });

  it.each([
    ['ends itself', 'process.exit(1)', 'ended without an answer'],
    [
      'crashes outside the handler',
      'setTimeout(() => { throw new Error("late") }); await new Promise(() => {})',
      'late',
    ],
  ])('is an exit when the function %s, and the next request gets a new instance', async (_name, body, message) => {
    const { invoke } = start(`exports.handler = async (event) => { if (event.die) { ${body}; } return 'served'; };`);

    expect(await invoke(ARN, { die: true })).toEqual({
      failure: expect.objectContaining({ kind: 'exit', errorMessage: expect.stringContaining(message) }),
    });
    expect(await invoke(ARN, {})).toEqual({ result: 'served' });
  });

  it('names a function that is not in the template', async () => {
    const { invoke } = start('exports.handler = async () => 1;');

    expect(await invoke(`${ARN}:other`, {})).toEqual({
      failure: expect.objectContaining({ errorMessage: expect.stringContaining(`${ARN}:other`) }),
    });
  });
});

describe('instances', () => {
  const COUNTING = 'let runs = 0; exports.handler = async () => { runs += 1; const mine = runs; %WAIT% return mine; };';

  it('keep what the module holds from one request to the next', async () => {
    const { invoke } = start(COUNTING.replace('%WAIT%', ''));

    expect([await invoke(ARN, {}), await invoke(ARN, {})]).toEqual([{ result: 1 }, { result: 2 }]);
  });

  it('run one request at a time each, and requests at once get one each', async () => {
    const { invoke, warm } = start(COUNTING.replace('%WAIT%', 'await new Promise((r) => setTimeout(r, 50));'));
    await warm([ARN]);

    const outcomes = await Promise.all([invoke(ARN, {}), invoke(ARN, {}), invoke(ARN, {})]);

    expect(outcomes).toEqual([{ result: 1 }, { result: 1 }, { result: 1 }]);
  });

  it('are limited; requests beyond the limit wait and are all served', async () => {
    const { invoke } = start(COUNTING.replace('%WAIT%', ''), {}, { maxInstances: 1 });

    const outcomes = await Promise.all([invoke(ARN, {}), invoke(ARN, {}), invoke(ARN, {})]);

    expect(outcomes).toEqual([{ result: 1 }, { result: 2 }, { result: 3 }]);
  });

  it('fail what is under way or waiting when the stack closes', async () => {
    const { invoke, close } = start('exports.handler = () => new Promise(() => {});', {}, { maxInstances: 1 });
    const outcomes = [invoke(ARN, {}), invoke(ARN, {})];

    await close();

    for (const outcome of await Promise.all(outcomes))
      expect(outcome).toEqual({ failure: expect.objectContaining({ kind: expect.stringMatching(/exit|init/) }) });
  });
});
