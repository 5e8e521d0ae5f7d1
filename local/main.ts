// SPDX-License-Identifier: Apache-2.0
/** `npm start`: serves the stack on this machine until it is interrupted. */
import { join, relative } from 'node:path';
import { readOptions, USAGE } from './options';
import { StartError } from './start-error';
import { TemplateError } from './template/template';

const PARENT = process.ppid;
const DATA_FOLDER = join(__dirname, '..', '.local');

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  if (args.includes('--help')) {
    console.log(USAGE);
    return;
  }
  // The SDK here speaks to the table on this machine only, so that a newer release of it is not missed.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
  const options = readOptions(args, process.env, DATA_FOLDER);
  // Loaded only now, because CDK takes a second, and a wrong argument should not.
  const { startLocalStack } = require('./app') as typeof import('./app');
  const stack = await startLocalStack(options);

  let isClosing = false;
  const close = () => {
    // The terminal and npm both pass a Ctrl-C on.
    if (isClosing) return;
    isClosing = true;
    stack.close().catch(fail);
  };
  process.on('SIGINT', close);
  process.on('SIGTERM', close);
  if (process.env.npm_lifecycle_event !== undefined) whenParentEnds(close);

  const keeping =
    options.dynamoDb !== undefined
      ? `at ${stack.tableEndpoint}`
      : options.folder === undefined
        ? 'kept in memory'
        : `kept in ${relative(process.cwd(), options.folder)}`;
  console.log(`table ${stack.tableName} at ${stack.tableEndpoint}, ${keeping}`);
  console.log('users demo (password demo) and alice (password alice)');
  if (options.https) console.log('the certificate is self-signed: a browser asks once, curl takes it with -k');
  console.log(`serving on ${stack.url}`);
}

/** npm passes SIGTERM to its shell only, and the shell ends without passing it on. */
function whenParentEnds(close: () => void): void {
  const timer = setInterval(() => {
    if (process.ppid === PARENT) return;
    clearInterval(timer);
    close();
  }, 500);
  timer.unref();
}

function fail(error: unknown): void {
  const isExplained = error instanceof StartError || error instanceof TemplateError;
  console.error(isExplained ? error.message : error);
  process.exitCode = 1;
}

main().catch(fail);
