// SPDX-License-Identifier: Apache-2.0
/** Secrets that are loaded while the function runs, kept for some minutes, and loaded again: rotation without a deployment. */
import { type OptionNames, refuseUnknownOptions } from '../known-options';
import { SessionError, SessionStoreError } from '../session/errors';
import { ConfigurationError } from '../settings';
import { readParameter, readSecret } from './aws-secrets';
import { type LoadedSecrets, requireSecrets } from './secrets';

/**
 * Exactly one of `secretId`, `parameterName` and `load`. The first two need the AWS SDK's client for it, an optional peer:
 * install `@aws-sdk/client-secrets-manager` or `@aws-sdk/client-ssm` unless the function's runtime has it.
 */
export interface CreateSecretsOptions {
  /**
   * ARN or name of a secret in Secrets Manager. It holds one key as text, or a JSON array of them. One line break at the end of
   * the text is none of the key's: editors and `file://` leave it there. A key that ends with one goes into an array.
   */
  readonly secretId?: string | undefined;
  /** Name or ARN of a parameter in Parameter Store, encrypted or not. It holds the same as a secret. */
  readonly parameterName?: string | undefined;
  /** Where else the keys are. */
  readonly load?: (() => Promise<readonly string[]>) | undefined;
  /** For how long they are kept. 1 to 86,400. Default 300. */
  readonly refreshSeconds?: number | undefined;
  /** Unix milliseconds. Default: the system's clock. */
  readonly nowMillis?: (() => number) | undefined;
}

/** After a refresh that failed; the keys that are there are good meanwhile. */
const RETRY_MILLIS = 30_000;

/** After a first load that failed: cookies that anyone can make up must not turn into as many requests. */
const RETRY_FIRST_MILLIS = 2_000;

/** For how long requests wait for a refresh, where there are keys to go on with. */
const REFRESH_WAIT_MILLIS = 3_000;

/** For how long they wait where there are none: longer than both tries of the clients, and not for ever. */
const FIRST_WAIT_MILLIS = 5_000;

const OPTIONS: OptionNames<CreateSecretsOptions> = {
  secretId: true,
  parameterName: true,
  load: true,
  refreshSeconds: true,
  nowMillis: true,
};

/**
 * Nothing is loaded before the first `prepare`. A refresh that fails, or takes longer than three seconds, leaves the keys that
 * are there in force, says so in one line on standard error (`keys could not be refreshed: …`) and is tried again half a minute
 * later. Without any keys, `prepare` rejects with a `SessionStoreError`, the same for two seconds.
 *
 * A function learns of a new key up to `refreshSeconds` after another one. So append a new one last, and move it to the
 * front, where it signs, only after that time: see `Secrets`.
 * @throws ConfigurationError naming the option; from `prepare` also for a client that is not installed
 */
export function createSecrets(options: CreateSecretsOptions): LoadedSecrets {
  refuseUnknownOptions(options, OPTIONS);
  const { refreshSeconds = 300, nowMillis = Date.now } = options;
  if (!Number.isSafeInteger(refreshSeconds) || refreshSeconds < 1 || refreshSeconds > 86_400)
    throw new ConfigurationError('refreshSeconds must be a whole number from 1 to 86,400');
  const { origin, load } = loaderOf(options);
  let secrets: readonly string[] | undefined;
  let staleAtMillis = 0;
  let loads = 0;
  let answered = 0;
  let loading: Promise<void> | undefined;
  let failed: { readonly error: Error; readonly untilMillis: number } | undefined;

  /** An answer that comes late is good, too, unless a newer one came before. */
  async function loadOnce(): Promise<void> {
    const number = ++loads;
    const loaded = await load();
    if (number < answered) return;
    answered = number;
    secrets = loaded;
    staleAtMillis = nowMillis() + refreshSeconds * 1000;
  }

  async function refresh(): Promise<void> {
    try {
      await within(secrets === undefined ? FIRST_WAIT_MILLIS : REFRESH_WAIT_MILLIS, origin, loadOnce());
    } catch (failure) {
      const error = asStoreError(failure, origin);
      if (secrets === undefined) {
        failed = { error, untilMillis: nowMillis() + RETRY_FIRST_MILLIS };
        throw error;
      }
      staleAtMillis = nowMillis() + RETRY_MILLIS;
      // A key that became known stays in force until this is seen.
      console.error(`keys could not be refreshed: ${error.message}`);
    }
  }

  return {
    current() {
      if (secrets === undefined) throw new ConfigurationError('the secrets must be prepared before they are used');
      return secrets;
    },
    async prepare() {
      if (secrets !== undefined && nowMillis() < staleAtMillis) return;
      if (secrets === undefined && failed !== undefined && nowMillis() < failed.untilMillis) throw failed.error;
      // Requests that come meanwhile wait for the same answer.
      loading ??= refresh().finally(() => {
        loading = undefined;
      });
      await loading;
    },
  };
}

/** @throws SessionStoreError when the time is over; what is waited for goes on */
async function within<T>(millis: number, origin: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const words = `the secrets of ${origin} did not come within ${millis / 1000} seconds`;
      reject(new SessionStoreError(words, { isRetryable: true }));
    }, millis);
    timer.unref();
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

interface Loader {
  /** In words, for errors. */
  readonly origin: string;
  readonly load: () => Promise<readonly string[]>;
}

function loaderOf({ secretId, parameterName, load }: CreateSecretsOptions): Loader {
  if ([secretId, parameterName, load].filter((given) => given !== undefined).length !== 1)
    throw new ConfigurationError('secretId, parameterName or load must be given: one of the three');
  if (load !== undefined) {
    if (typeof load !== 'function') throw new ConfigurationError('load must be a function that returns the keys');
    return { origin: 'load', load: async () => checked('what load returns', await load()) };
  }
  const [option, name, read] =
    secretId === undefined
      ? (['parameterName', parameterName, readParameter] as const)
      : (['secretId', secretId, readSecret] as const);
  if (typeof name !== 'string' || name === '') throw new ConfigurationError(`${option} must not be empty`);
  const origin = `${option} ${name}`;
  return { origin, load: async () => parseSecrets(origin, await read(name)) };
}

/** A JSON object is what the console of Secrets Manager makes; taken for a key it would verify nothing, without a word. */
function parseSecrets(origin: string, text: string): readonly string[] {
  const words = `what ${origin} holds`;
  if (!/^\s*[[{]/.test(text)) return checked(words, [text.replace(/\r?\n$/, '')]);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The same error as for other JSON; what the parser says repeats the text.
  }
  if (!Array.isArray(value)) throw new ConfigurationError(`${words} must be one key as text, or a JSON array of keys`);
  return checked(words, value);
}

function checked(words: string, secrets: unknown): readonly string[] {
  requireSecrets(words, secrets);
  return secrets;
}

/** Of what lies behind only the kind is told: its message may hold anything, even the secret. */
function asStoreError(cause: unknown, origin: string): Error {
  if (cause instanceof SessionError || cause instanceof ConfigurationError) return cause;
  const kind = cause instanceof Error && /^\w{1,64}$/.test(cause.name) ? ` (${cause.name})` : '';
  const advice =
    origin === 'load' ? '' : '; check name and region, the permission to read it, and the way to the service';
  return new SessionStoreError(`the secrets of ${origin} could not be loaded${kind}${advice}`, {
    cause,
    isRetryable: true,
  });
}
