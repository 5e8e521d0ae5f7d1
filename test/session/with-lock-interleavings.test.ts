// SPDX-License-Identifier: Apache-2.0
/** Every order in which the steps of locks, saves and rotations on one session can come, with a fault at any of them. */
import { createSessions } from '../../lambda/session/create-sessions';
import { SessionConflictError, SessionLockedError, SessionStoreError } from '../../lambda/session/errors';
import { MemorySessionStore } from '../../lambda/session/memory-session-store';
import { explore } from '../interleavings/explore';
import type { Fault } from '../interleavings/fault';
import { itemById } from '../interleavings/knowledge';
import type { Environment, Outcome } from '../interleavings/run';
import type { Operation, Property, State } from '../interleavings/state';
import { System } from '../interleavings/system';
import { NOW } from './fixtures';

interface Data {
  saved: string[];
}

const LEASE_SECONDS = 10;
const library = ({ store, now, randomBytes }: Pick<Environment, 'store' | 'now' | 'randomBytes'>) =>
  createSessions<Data>({ store, now, randomBytes, sleep: async () => {} });

async function initialSession() {
  const store = new MemorySessionStore();
  const sessions = library({ store, now: () => NOW, randomBytes: (size) => new Uint8Array(size).fill(7) });
  const { token } = await sessions.create({ data: { saved: [] } });
  return { items: store.items(), cookie: `${sessions.settings.cookieName}=${token}` };
}

type Kind = 'lock' | 'save' | 'rotate' | 'logout';

function operationOf(kind: Kind, letter: string, cookie: string): Operation {
  const name = `${kind} ${letter}`;
  const run = async (environment: Environment): Promise<Outcome> => {
    const sessions = library(environment);
    const session = await sessions.read(cookie);
    if (session === null) return { result: 'notWritten' };
    const add = ({ data }: { data: Data }) => data.saved.push(letter);
    switch (kind) {
      case 'lock':
        await sessions.withLock(session, add, { leaseSeconds: LEASE_SECONDS, maxWaitSeconds: 0 });
        return { result: 'written' };
      case 'save':
        add(session);
        await sessions.save(session);
        return { result: 'written' };
      case 'rotate':
        await sessions.rotate(session);
        return { result: 'done' };
      case 'logout':
        await sessions.destroy(session);
        return { result: 'done' };
    }
  };
  return { name, program: { name: `with-lock ${name}`, run: (environment) => run(environment).catch(knownFailure) } };
}

function knownFailure(failure: unknown): Outcome {
  if (failure instanceof SessionLockedError) return { result: 'notWritten' };
  if (failure instanceof SessionConflictError) return { result: failure.outcome };
  if (failure instanceof SessionStoreError) return { result: 'unknown' };
  throw failure;
}

/**
 * What was reported as written is there, once; what was reported as not written is not. Where a logout was under way, that
 * holds as long as there is data at all, and an ended session has none.
 */
const tellsTheTruth = (kinds: readonly Kind[]): Property => ({
  begin: () => [],
  remember: (_event, before) => before.history,
  violations: () => [],
  violationsAtEnd: (state: State) => {
    const items = state.items.map(itemById).filter((item) => item !== undefined);
    const stored = items.flatMap(({ data }) => (data?.S === undefined ? [] : [(JSON.parse(data.S) as Data).saved]));
    const revived = items.filter((item) => 'revoked' in item && 'data' in item).map(() => 'an ended session has data');
    const isGone = kinds.includes('logout') && stored.length === 0;
    const untruths = state.processes.flatMap(({ operation: { name }, outcome }) => {
      const letter = name.slice(-1);
      const most = Math.max(0, ...stored.map((saved) => saved.filter((other) => other === letter).length));
      if (most > 1) return [`${name} was written ${most} times`];
      if (outcome?.result === 'written' && most === 0 && !isGone) return [`${name} was lost`];
      return outcome?.result === 'notWritten' && most > 0 ? [`${name} was written although it said otherwise`] : [];
    });
    return [...revived, ...untruths];
  },
});

async function exploreKinds(kinds: readonly Kind[], faults: readonly Fault[], isClockMoving: boolean) {
  const { items, cookie } = await initialSession();
  const operations = kinds.map((kind, index) => operationOf(kind, 'ABC'[index] ?? '', cookie));
  const clock = isClockMoving ? { clock: { steps: 1, stepSeconds: LEASE_SECONDS + 1 } } : {};
  return explore(new System({ operations, items, now: NOW, faults, ...clock }, () => tellsTheTruth(kinds)));
}

const FAULTS: readonly Fault[] = ['refused', 'lost', 'delayed', 'crash'];

it.each<[Kind[]]>([[['lock', 'lock']], [['lock', 'save']], [['lock', 'rotate']], [['lock', 'logout']]])(
  '%j, with a fault anywhere, and with the lease ending at any time',
  async (kinds) => {
    const exploration = await exploreKinds(kinds, FAULTS, true);

    expect(exploration.violations.map(({ message, trace }) => [message, ...trace].join('\n'))).toEqual([]);
    expect(exploration.isComplete).toBe(true);
  },
);

it.each<[Kind[]]>([[['lock', 'lock', 'lock']], [['lock', 'lock', 'save']], [['lock', 'lock', 'rotate']]])(
  '%j, with the lease ending at any time',
  async (kinds) => {
    const exploration = await exploreKinds(kinds, [], true);

    expect(exploration.violations.map(({ message, trace }) => [message, ...trace].join('\n'))).toEqual([]);
    expect(exploration.isComplete).toBe(true);
  },
);
