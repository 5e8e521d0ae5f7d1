// SPDX-License-Identifier: Apache-2.0
/** What the authorizer asks of the table: one read; a second one and a write only where the settings want them. */
import type { SessionRenewal } from '../session/renewal';
import type { Item, ItemKey } from '../session/store';

/**
 * Each method rejects with a `SessionStoreError` when the table cannot be asked, and is bounded in time: API Gateway
 * waits 10 seconds at most. None of them keeps anything between calls: a session ended now is refused by the next request.
 */
export interface SessionReader {
  /**
   * The item with this partition key and the sort key `S#` as DynamoDB returns it, read consistently, without `data`;
   * `undefined` where there is none.
   */
  readSession(partitionKey: string): Promise<Item | undefined>;

  /** The application's own user record, read consistently; at least the attribute that holds its line. */
  readUserRecord?(key: ItemKey): Promise<Item | undefined>;

  /**
   * Moves the end of a session that is alive: of type `session`, not revoked, ending later than `IN_FLIGHT_MARGIN_SECONDS`
   * from now and before the new end, and last renewed when it was read. Otherwise it writes nothing, and `false`.
   */
  renewSession?(partitionKey: string, renewal: SessionRenewal): Promise<boolean>;

  /**
   * Any item of the session table, whole and read consistently: what decides on sessions of older systems, their claims
   * (`SL#…`) and the user items (`SU#…`).
   */
  readItem?(key: ItemKey): Promise<Item | undefined>;
}

/** What an authorizer without older systems may be asked. */
export type DeployedReader = Required<Omit<SessionReader, 'readItem'>>;
