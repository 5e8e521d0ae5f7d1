// SPDX-License-Identifier: Apache-2.0
/** What every operation of the PHP session store works with. */
import type { RandomBytes } from '../../session/token';
import { phpSessionKey } from './php-session-id';
import type { PhpStoreSettings } from './php-store-options';
import type { PhpTable } from './php-table';

export interface PhpStoreContext {
  readonly table: PhpTable;
  readonly settings: PhpStoreSettings;
  /** Unix seconds. */
  readonly now: () => number;
  readonly randomBytes: RandomBytes;
  readonly sleep: (millis: number) => Promise<void>;
}

export function keyOf({ settings }: PhpStoreContext, id: string): string {
  return phpSessionKey(settings.sessionName, id);
}
