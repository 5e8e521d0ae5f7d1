// SPDX-License-Identifier: Apache-2.0
/** The environment of a function on a laptop: the template's, but for what a laptop cannot have as it is. */
import { ENVIRONMENT } from '../lambda/environment';
import type { SessionSettingsInput } from '../lambda/settings';
import type { TableAddress } from './create-table';

export interface LocalAddresses {
  readonly table: TableAddress;
  /** Where the pages and the API are served, such as `http://localhost:3000`. */
  readonly origin: string;
}

/** On plain HTTP browsers take neither `Secure` nor the `__Host-` prefix. */
const INSECURE_COOKIE_NAME = 'session';

/**
 * Overrides endpoint, region, credentials, the origins that may call and, on plain HTTP, the cookie's name and `Secure`.
 * AWS_LAMBDA_FUNCTION_NAME is never set: by it a deployed function refuses an insecure cookie.
 */
export function localEnvironment(
  template: Readonly<Record<string, string>>,
  { table, origin }: LocalAddresses,
): Record<string, string> {
  const settings = template[ENVIRONMENT.settings];
  return {
    ...template,
    TZ: 'UTC',
    AWS_REGION: table.region,
    ...table.credentials,
    // Deployed functions run on a Node.js of their own, so a warning about this one says nothing of them.
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    ...(template[ENVIRONMENT.tableName] === undefined ? {} : { [ENVIRONMENT.tableName]: table.tableName }),
    ...(settings === undefined
      ? {}
      : { [ENVIRONMENT.endpoint]: table.endpoint, [ENVIRONMENT.settings]: localSettings(settings, origin) }),
  };
}

function localSettings(json: string, origin: string): string {
  const settings = JSON.parse(json) as SessionSettingsInput;
  const local: SessionSettingsInput = { ...settings, allowedOrigins: [...(settings.allowedOrigins ?? []), origin] };
  if (origin.startsWith('https:')) return JSON.stringify(local);
  return JSON.stringify({ ...local, cookieName: INSECURE_COOKIE_NAME, insecureLocalhost: true });
}
