// SPDX-License-Identifier: Apache-2.0
/** Callbacks of the application that only tell it something: whatever they do, no request fails for it. */

/** Says on standard error that the callback failed, and not how: its words may hold anything. */
export function guarded<Told>(name: string, callback: (told: Told) => unknown): (told: Told) => void {
  const complain = (failure: unknown): void =>
    console.error(`${name} failed: ${failure instanceof Error ? failure.name : typeof failure}`);
  return (told) => {
    try {
      const result = callback(told);
      if (result instanceof Promise) result.catch(complain);
    } catch (failure) {
      complain(failure);
    }
  };
}
