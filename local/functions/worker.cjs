// SPDX-License-Identifier: Apache-2.0
/** Runs inside a worker: loads one function's handler, says that it is ready, and answers one event at a time. */
const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');
const { parentPort, workerData } = require('node:worker_threads');

const { folder, handler, name, arn, memoryMegabytes } = workerData;

async function loadHandler() {
  const dot = handler.lastIndexOf('.');
  const base = join(folder, handler.slice(0, dot));
  const extension = ['.js', '.mjs', '.cjs'].find((candidate) => existsSync(base + candidate));
  if (extension === undefined) throw new Error(`the handler ${handler} has no file in its asset`);
  const file = base + extension;
  const loaded = extension === '.mjs' ? await import(pathToFileURL(file).href) : require(file);
  const exported = loaded[handler.slice(dot + 1)];
  if (typeof exported !== 'function') throw new Error(`the handler ${handler} is not exported by its file`);
  return exported;
}

function contextOf({ requestId, deadlineMillis }) {
  return {
    awsRequestId: requestId,
    callbackWaitsForEmptyEventLoop: true,
    functionName: name,
    functionVersion: '$LATEST',
    invokedFunctionArn: arn,
    logGroupName: `/aws/lambda/${name}`,
    logStreamName: 'local',
    memoryLimitInMB: String(memoryMegabytes),
    getRemainingTimeInMillis: () => Math.max(0, deadlineMillis - Date.now()),
  };
}

/** As Lambda's runtime names it: the error's class, or the type of what was thrown. */
function describeError(error) {
  return error instanceof Error
    ? { errorType: error.name, errorMessage: error.message, stack: error.stack }
    : { errorType: typeof error, errorMessage: String(error) };
}

async function answer(handle, { requestId, deadlineMillis, event }) {
  try {
    const result = await handle(JSON.parse(event), contextOf({ requestId, deadlineMillis }));
    parentPort.postMessage({ kind: 'result', requestId, result: JSON.stringify(result ?? null) });
  } catch (error) {
    parentPort.postMessage({ kind: 'error', requestId, ...describeError(error) });
  }
}

loadHandler().then(
  (handle) => {
    parentPort.on('message', (message) => void answer(handle, message));
    parentPort.postMessage({ kind: 'ready' });
  },
  (error) => parentPort.postMessage({ kind: 'initError', ...describeError(error) }),
);
