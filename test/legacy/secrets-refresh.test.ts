// SPDX-License-Identifier: Apache-2.0
/** Secrets whose refresh fails, in whatever way: requests go on with those in hand, and the log says so in one line. */
import { createSecrets } from '../../lambda/legacy/create-secrets';
import { SessionStoreError } from '../../lambda/session/errors';

type Load = () => Promise<readonly string[]>;

let lines: unknown[][];

beforeEach(() => {
  lines = [];
  jest.spyOn(console, 'error').mockImplementation((...line) => void lines.push(line));
});
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

/** Keys that are loaded by what `load.by` is by then; the clock stands unless it is moved. */
function loadedBy(by: Load) {
  const load = { by, count: 0 };
  const clock = { millis: 1_800_000_000_000 };
  const secrets = createSecrets({
    refreshSeconds: 60,
    nowMillis: () => clock.millis,
    load: () => {
      load.count++;
      return load.by();
    },
  });
  return { secrets, load, clock };
}

/** The same with keys in hand that are stale by now. */
async function stale() {
  const world = loadedBy(async () => ['old']);
  await world.secrets.prepare();
  world.clock.millis += 60_000;
  return world;
}

class ThrottlingException extends Error {
  override readonly name = 'ThrottlingException';
}

const throwing = (error: Error): Load => {
  return () => {
    throw error;
  };
};

describe('a load that throws before it returns a promise', () => {
  it('is tried again', async () => {
    const { secrets, load, clock } = loadedBy(throwing(new Error('no such file')));
    await expect(secrets.prepare()).rejects.toThrow(SessionStoreError);

    load.by = async () => ['key'];
    clock.millis += 2_000;
    await secrets.prepare();

    expect(secrets.current()).toEqual(['key']);
  });

  it('leaves the keys in force at a refresh, and is tried again', async () => {
    const { secrets, load, clock } = await stale();
    load.by = throwing(new Error('no such file'));
    await secrets.prepare();
    expect(secrets.current()).toEqual(['old']);

    load.by = async () => ['new'];
    clock.millis += 30_000;
    await secrets.prepare();

    expect(secrets.current()).toEqual(['new']);
  });
});

describe('a load that does not settle', () => {
  /** Answers when it is told to. */
  function hanging() {
    let answer: (keys: readonly string[]) => void = () => {};
    const load: Load = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    return { load, answer: (keys: readonly string[]) => answer(keys) };
  }

  it('holds requests up for three seconds where there are keys, once in half a minute', async () => {
    jest.useFakeTimers();
    const { secrets, load, clock } = await stale();
    load.by = hanging().load;
    const passed: string[] = [];
    const requests = ['one', 'two'].map((name) => secrets.prepare().then(() => passed.push(name)));
    await jest.advanceTimersByTimeAsync(2_999);
    expect(passed).toEqual([]);

    await jest.advanceTimersByTimeAsync(1);
    await Promise.all(requests);
    await secrets.prepare();
    expect(secrets.current()).toEqual(['old']);
    expect(load.count).toBe(2);
    expect(jest.getTimerCount()).toBe(0);
    expect(lines).toEqual([['keys could not be refreshed: the secrets of load did not come within 3 seconds']]);

    load.by = async () => ['new'];
    clock.millis += 30_000;
    await secrets.prepare();
    expect(secrets.current()).toEqual(['new']);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('is a fault after five seconds where there are none, and is tried again', async () => {
    jest.useFakeTimers();
    const { secrets, load, clock } = loadedBy(hanging().load);
    const refused = expect(secrets.prepare()).rejects.toThrow('the secrets of load did not come within 5 seconds');
    await jest.advanceTimersByTimeAsync(5_000);
    await refused;

    load.by = async () => ['key'];
    clock.millis += 2_000;
    await secrets.prepare();
    expect(secrets.current()).toEqual(['key']);
  });

  it('is good when it answers late, unless there was a later one', async () => {
    jest.useFakeTimers();
    const { secrets, load, clock } = await stale();
    const first = hanging();
    load.by = first.load;
    const waiting = secrets.prepare();
    await jest.advanceTimersByTimeAsync(3_000);
    await waiting;

    first.answer(['late']);
    await jest.advanceTimersByTimeAsync(0);
    expect(secrets.current()).toEqual(['late']);

    const second = hanging();
    load.by = second.load;
    clock.millis += 60_000;
    const again = secrets.prepare();
    await jest.advanceTimersByTimeAsync(3_000);
    await again;
    load.by = async () => ['newest'];
    clock.millis += 30_000;
    await secrets.prepare();
    second.answer(['outdated']);
    await jest.advanceTimersByTimeAsync(0);
    expect(secrets.current()).toEqual(['newest']);
  });
});

describe('the line in the log', () => {
  it.each<[string, Load, string]>([
    [
      'the service fails',
      () => Promise.reject(new ThrottlingException('a-secret')),
      'the secrets of load could not be loaded (ThrottlingException)',
    ],
    ['there are none', async () => [], 'what load returns must hold at least one secret'],
    ['one is empty', async () => ['a-secret', ''], 'what load returns must hold non-empty strings only'],
    ['one is white space', async () => ['a-secret', ' \n'], 'what load returns must hold non-empty strings only'],
    ['it is no list', async () => 'a-secret' as never, 'what load returns must be a list of secrets'],
  ])('is written once for a refresh that fails because %s, and holds no secret', async (_, by, reason) => {
    const { secrets, load, clock } = await stale();
    load.by = by;
    await Promise.all([secrets.prepare(), secrets.prepare()]);
    await secrets.prepare();

    expect(lines).toEqual([[`keys could not be refreshed: ${reason}`]]);
    clock.millis += 30_000;
    await secrets.prepare();
    expect(lines).toHaveLength(2);
  });

  it('is not written for a first load, whose failure the request tells', async () => {
    const { secrets } = loadedBy(() => Promise.reject(new Error('down')));
    await expect(secrets.prepare()).rejects.toThrow(SessionStoreError);

    expect(lines).toEqual([]);
  });
});
