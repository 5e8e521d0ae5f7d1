// SPDX-License-Identifier: Apache-2.0
/** Waits for work, but not for longer than a time. */

/** Undefined where the time was over first; the work goes on all the same. */
export async function within<Result>(timeoutMillis: number, work: Promise<Result>): Promise<Result | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), timeoutMillis);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
