// SPDX-License-Identifier: Apache-2.0
/** A table that can be backed up, restored and swept, as DynamoDB can. */
import type { Item, ItemKey, SessionStore } from '../../lambda/session/store';

export class RememberingStore implements SessionStore {
  #table: SessionStore;
  readonly #createTable: () => SessionStore;
  readonly #keys = new Map<string, ItemKey>();
  readonly #backups = new Map<string, readonly Item[]>();

  constructor(createTable: () => SessionStore) {
    this.#createTable = createTable;
    this.#table = createTable();
  }

  get attributeNames(): SessionStore['attributeNames'] {
    return this.#table.attributeNames;
  }

  async countItems(): Promise<number> {
    return (await this.#items()).length;
  }

  get: SessionStore['get'] = (...input) => this.#table.get(...input);
  query: SessionStore['query'] = (...input) => this.#table.query(...input);
  getMany: SessionStore['getMany'] = (...input) => this.#table.getMany(...input);
  delete: SessionStore['delete'] = (key) => this.#table.delete(key);

  put: SessionStore['put'] = (item) => {
    this.#remember({ partitionKey: item.PK?.S ?? '', sortKey: item.SK?.S ?? '' });
    return this.#table.put(item);
  };

  update: SessionStore['update'] = (key, ...input) => {
    this.#remember(key);
    return this.#table.update(key, ...input);
  };

  async backUp(name: string): Promise<boolean> {
    this.#backups.set(name, await this.#items());
    return true;
  }

  async restore(name: string): Promise<boolean> {
    this.#table = this.#createTable();
    for (const item of this.#backups.get(name) ?? []) await this.#table.put(item);
    return true;
  }

  /** What TTL does, days late at worst: deletes what has expired. */
  async sweep(now: number): Promise<void> {
    for (const item of await this.#items())
      if (Number(item.expires_at?.N ?? Number.POSITIVE_INFINITY) <= now)
        await this.#table.delete({ partitionKey: item.PK?.S ?? '', sortKey: item.SK?.S ?? '' });
  }

  async #items(): Promise<Item[]> {
    const items = await Promise.all([...this.#keys.values()].map((key) => this.#table.get(key)));
    return items.filter((item) => item !== undefined);
  }

  #remember(key: ItemKey): void {
    this.#keys.set(JSON.stringify(key), key);
  }
}
