// SPDX-License-Identifier: Apache-2.0
/** A store between an operation and the table: it can hold the operation's writes back, and lose the answer to each once. */
import { SessionStoreError } from '../../lambda/session/errors';
import type { SessionStore } from '../../lambda/session/store';

export interface Gate {
  readonly store: SessionStore;
  /** Resolves once a write waits at the gate. */
  readonly reached: Promise<void>;
  /** Lets every write through from now on. */
  open(): void;
}

/** Reads pass, writes wait. With `losesAnswers` each write is done and then reported as failed, the first time it is tried. */
export function gateWrites(table: SessionStore, losesAnswers: boolean): Gate {
  let arrive = (): void => {};
  let open = (): void => {};
  const reached = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const lost = new Set<string>();

  async function write<T>(name: string, request: () => Promise<T>): Promise<T> {
    arrive();
    await opened;
    const result = await request();
    if (!losesAnswers || lost.has(name)) return result;
    lost.add(name);
    throw new SessionStoreError('the answer was lost', { isRetryable: true });
  }

  const store: SessionStore = {
    attributeNames: table.attributeNames,
    get: (...input) => table.get(...input),
    query: (...input) => table.query(...input),
    getMany: (...input) => table.getMany(...input),
    put: (item) => write(JSON.stringify(['put', item]), () => table.put(item)),
    update: (...input) => write(JSON.stringify(['update', input]), () => table.update(...input)),
    delete: (key) => write(JSON.stringify(['delete', key]), () => table.delete(key)),
  };
  return { store, reached, open };
}
