// SPDX-License-Identifier: Apache-2.0
/** What `cdk deploy -c key=value` may say to the app of this checkout. */
import type { SessionStackProps } from '../lib';

type Context = Readonly<Record<string, unknown>>;

const readers: Readonly<Record<string, (key: string, value: unknown) => SessionStackProps>> = {
  attachRestApiId: (key, value) => ({ attachRestApiIds: list(key, value) }),
  attachHttpApiId: (key, value) => ({ attachHttpApiIds: list(key, value) }),
  attachWebSocketApiId: (key, value) => ({ attachWebSocketApiIds: list(key, value) }),
  allowedOrigins: (key, value) => ({ allowedOrigins: list(key, value) }),
  domainName: (key, value) => ({ domainName: text(key, value) }),
  certificateArn: (key, value) => ({ certificateArn: text(key, value) }),
  epoch: (key, value) => ({ epoch: text(key, value) }),
  cloudWatchRole: (key, value) => ({ cloudWatchRole: flag(key, value) }),
};

/**
 * Props of the stack from the context. Keys of the CDK hold a colon, a slash or a hyphen; any other key that is not one
 * of ours is a mistake that would leave something out silently.
 * @throws Error naming the key
 */
export function propsFromContext(context: Context): SessionStackProps {
  const own = Object.entries(context).filter(([key]) => /^\w+$/.test(key));
  const known = Object.keys(readers).join(', ');
  return Object.assign(
    {},
    ...own.map(([key, value]) => {
      const read = Object.hasOwn(readers, key) ? readers[key] : undefined;
      if (read === undefined) throw new Error(`there is no context key ${key}; the keys are ${known}`);
      return read(key, value);
    }),
  );
}

/** `-c key=a,b`, or an array in cdk.json. */
function list(key: string, value: unknown): string[] {
  const values = typeof value === 'string' ? value.split(',') : value;
  if (!Array.isArray(values) || values.length === 0)
    throw new Error(`${key} must be one value, or several with commas`);
  return values.map((one) => text(key, one));
}

function text(key: string, value: unknown): string {
  if (typeof value !== 'string' || value.trim() === '') throw new Error(`${key} must not be empty: -c ${key}=<value>`);
  return value.trim();
}

function flag(key: string, value: unknown): boolean {
  if (![true, false, 'true', 'false'].includes(value as string)) throw new Error(`${key} must be true or false`);
  return String(value) === 'true';
}
