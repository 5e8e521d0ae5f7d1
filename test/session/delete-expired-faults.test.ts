// SPDX-License-Identifier: Apache-2.0
/** Deleting what has expired from a table that is busy or fails, and calls that are watched or cut off. */
import { SessionStoreError } from '../../lambda/session/errors';
import type { DeleteExpiredProgress } from '../../lambda/session/lifecycle/delete-expired-options';

import { keys, of, putExpired, requests, run, stand } from './expiring-table';

describe('a busy table', () => {
  it('is asked again for unprocessed items, with growing pauses', async () => {
    await putExpired(25);
    const slept: number[] = [];
    let busy = 3;
    stand.in = ({ operation, input }) =>
      operation === 'BatchWriteItem' && busy-- > 0 ? { UnprocessedItems: input.RequestItems } : undefined;
    const result = await run({ random: () => 1 - Number.EPSILON, sleep: async (millis) => void slept.push(millis) });

    expect(result).toMatchObject({ deleted: 25, failed: 0, isComplete: true });
    expect(slept.map(Math.round)).toEqual([50, 100, 200]);
    expect(await keys()).toEqual([]);
  });

  it('is asked only for what is left of a batch', async () => {
    await putExpired(10);
    let isFirst = true;
    stand.in = ({ operation, input }) => {
      if (operation !== 'BatchWriteItem' || !isFirst) return undefined;
      isFirst = false;
      return { UnprocessedItems: { sessions: input.RequestItems.sessions.slice(7) } };
    };

    expect(await run()).toMatchObject({ deleted: 10, isComplete: true });
    expect(of('BatchWriteItem').map(({ input }) => input.RequestItems.sessions.length)).toEqual([10, 3]);
  });

  it('that stays busy costs the batch, not the run', async () => {
    await putExpired(30);
    stand.in = ({ operation, input }) =>
      operation === 'BatchWriteItem' && input.RequestItems.sessions.length === 25
        ? { UnprocessedItems: input.RequestItems }
        : undefined;

    expect(await run()).toMatchObject({ deleted: 5, failed: 25, segmentsDone: 1, isComplete: false });
  });

  it('that throttles is asked again', async () => {
    await putExpired(3);
    let throttles = 2;
    stand.in = () => {
      if (throttles-- > 0) throw Object.assign(new Error('slow down'), { name: 'ThrottlingException' });
      return undefined;
    };

    expect(await run()).toMatchObject({ deleted: 3, isComplete: true });
  });
});

describe('a table that fails', () => {
  const fail = () => {
    throw Object.assign(new Error('no'), { name: 'AccessDeniedException' });
  };

  it('never stops the caller: the result says so', async () => {
    stand.in = fail;
    const result = await run({ segments: 4 });

    expect(result).toMatchObject({ deleted: 0, segmentsDone: 0, isComplete: false });
    expect(result.failure).toBeInstanceOf(SessionStoreError);
    expect(requests).toHaveLength(1);
  });

  it('rejects when asked to', async () => {
    stand.in = fail;

    await expect(run({ throwOnFailure: true })).rejects.toMatchObject({ code: 'ERR_SESSION_STORE_ACCESS_DENIED' });
  });

  it('is given up after eight tries', async () => {
    stand.in = () => {
      throw Object.assign(new Error('slow down'), { name: 'ThrottlingException' });
    };

    expect((await run()).failure).toMatchObject({ code: 'ERR_SESSION_STORE_THROTTLED' });
    expect(requests).toHaveLength(8);
  });

  it('does not hide a failing callback', async () => {
    const failure = new Error('mine');
    const result = await run({
      onProgress: () => {
        throw failure;
      },
    });

    expect(result.failure).toBe(failure);
  });
});

describe('progress and abort', () => {
  it('reports after each page and batch, with counts that only grow', async () => {
    await putExpired(30);
    const reports: DeleteExpiredProgress[] = [];
    await run({ onProgress: (progress) => void reports.push(progress) });

    expect(reports.map(({ scanned, deleted, segmentsDone }) => [scanned, deleted, segmentsDone])).toEqual([
      [30, 0, 0],
      [30, 25, 0],
      [30, 30, 0],
      [30, 30, 1],
    ]);
  });

  it('stops at the next batch when aborted, and says that it is not complete', async () => {
    await putExpired(60);
    const abort = new AbortController();
    const result = await run({ signal: abort.signal, onProgress: ({ deleted }) => deleted >= 25 && abort.abort() });

    expect(result).toMatchObject({ deleted: 25, isComplete: false });
    expect(result).not.toHaveProperty('failure');
  });

  it('does nothing when aborted before it began', async () => {
    expect(await run({ signal: AbortSignal.abort() })).toMatchObject({ scanned: 0, isComplete: false });
    expect(requests).toEqual([]);
  });

  it('does not sit out a pause when aborted', async () => {
    const abort = new AbortController();
    stand.in = ({ operation }) =>
      operation === 'Scan'
        ? { Items: [], ConsumedCapacity: { CapacityUnits: 1e6 }, LastEvaluatedKey: { PK: { S: 'x' } } }
        : undefined;
    const running = run({
      maxReadUnitsPerSecond: 1,
      signal: abort.signal,
      sleep: undefined,
      onProgress: () => setImmediate(() => abort.abort()),
    });

    expect(await running).toMatchObject({ isComplete: false });
  });
});
