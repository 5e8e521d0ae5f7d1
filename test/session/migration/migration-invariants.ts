// SPDX-License-Identifier: Apache-2.0
/** What must hold in every run of browser operations, whatever their order and whatever one fault does to them. */
import { collectionKey } from '../../../lambda/session/session-keys';
import type { Item } from '../../../lambda/session/store';
import { hashSessionToken } from '../../../lambda/session/token';
import { validateSessionItem } from '../../../lambda/session/validate-session-item';
import { itemById } from '../../interleavings/knowledge';
import type { Property, State, StepEvent } from '../../interleavings/state';
import type { System } from '../../interleavings/system';
import { nameInTraces } from '../../interleavings/trace';
import { BROWSER, type BrowserOperation, type Kind, OLD_SESSION, USER } from './browser-operations';

type MigrationState = State<BrowserOperation>;

/** What is remembered of a session, beside its number: a fact is `number * FACTS + kind`. */
const FACTS = 3;
const ISSUED = 0;
const LIVED = 1;
const DIED = 2;

const numbers = new Map<string, number>();
function factOf(tokenHash: string, kind: number): number {
  let number = numbers.get(tokenHash);
  if (number === undefined) {
    number = numbers.size;
    numbers.set(tokenHash, number);
    nameInTraces(tokenHash, `T${number}`);
  }
  return number * FACTS + kind;
}

export function migrationInvariants(system: System<BrowserOperation>): Property<BrowserOperation> {
  return {
    begin: () => [],
    remember: (event, before, after) => remember(system, event, before, after),
    violations: (state) => [...always(system, state)],
    violationsAtEnd: (state) => [...atEnd(system, state)],
  };
}

function remember(
  system: System<BrowserOperation>,
  { outcome }: StepEvent,
  before: MigrationState,
  after: MigrationState,
): readonly number[] {
  const facts = new Set(before.history);
  if (typeof outcome?.tokenHash === 'string') facts.add(factOf(outcome.tokenHash, ISSUED));
  const accepted = acceptedIn(system, after);
  for (const hash of accepted) facts.add(factOf(hash, LIVED));
  for (const hash of numbers.keys())
    if (facts.has(factOf(hash, LIVED)) && !accepted.includes(hash)) facts.add(factOf(hash, DIED));
  return facts.size === before.history.length ? before.history : [...facts].sort((one, other) => one - other);
}

function* always(system: System<BrowserOperation>, state: MigrationState): Iterable<string> {
  const accepted = acceptedIn(system, state);
  const issued = accepted.filter((hash) => state.history.includes(factOf(hash, ISSUED)));
  if (issued.length > 1) yield 'two sessions that were handed out are accepted';
  if (accepted.some((hash) => state.history.includes(factOf(hash, DIED))))
    yield 'a session that had ended is accepted again';
  for (const { operation, status, outcome } of state.processes) {
    const isOver = status === 'returned';
    if (isOver && outcome?.ends === true && issued.length > 0)
      yield `${operation.kind} returned, and a session is accepted`;
    if (isOver && outcome?.isServed === false && !hasEnd(system, state) && !hasEndedOthers(state))
      yield `${operation.kind} was not served, and nothing ended the session`;
  }
}

function* atEnd(system: System<BrowserOperation>, state: MigrationState): Iterable<string> {
  const accepted = acceptedIn(system, state);
  for (const hash of accepted)
    if (system.itemAt(state, collectionKey(USER, hash)) === undefined) yield 'a session is accepted and not listed';
  // A rotation or a login that was cut off leaves a session whose token nobody has.
  const slack = state.processes.some(
    ({ operation: { kind }, status }) => (isRotation(kind) || isLogin(kind)) && status !== 'returned',
  );
  if (accepted.length > (slack ? 2 : 1)) yield 'two sessions are accepted at the end';
  const hasLoggedOut = state.processes.some(
    ({ operation, outcome, status }) => !endsAll(operation) && status === 'returned' && outcome?.ends === true,
  );
  if (hasLoggedOut && accepted.length > 0 && !slack) yield 'a session is accepted at the end, after a logout';
  const hasLoggedIn = state.processes.some(
    ({ status, outcome }) => status === 'returned' && outcome?.hasReplaced === true,
  );
  if ((hasLoggedOut || hasLoggedIn) && mayMoveIn(system, state))
    yield 'the old cookie can move in again after a logout, or after a login over it';
  if (!hasEnd(system, state) && !isLoggedIn(system, state))
    yield 'the user is logged out, and nothing ended the session';
}

/**
 * Ends by a line that the old session lies before: the claim need not be settled for it, and a session that a crash left
 * behind has a token that nobody will ever be given.
 */
const endsAll = ({ kind }: BrowserOperation): boolean => kind === 'revokeAll' || kind === 'disable';

/**
 * Whether something may have cost the user the session. A rotation by a request that came with the new cookie may: its token
 * is dead before the next one has arrived, as with every rotation.
 */
function hasEnd(system: System<BrowserOperation>, state: MigrationState): boolean {
  const isSettled = itemsWith(system, state, 'SL#')[0]?.settled_at !== undefined;
  return state.processes.some(({ operation: { kind }, status, outcome }) =>
    isRotation(kind)
      ? isSettled && (status !== 'returned' || outcome?.hadToken === true)
      : isLogin(kind) || ['logout', 'apiLogout', 'destroy', 'revokeAll', 'disable'].includes(kind),
  );
}

/** To a request that comes with the old cookie while the new one is on its way, "sign out everywhere else" is an end. */
const hasEndedOthers = (state: MigrationState): boolean =>
  state.processes.some(({ operation: { kind } }) => kind === 'endOthers');

const isRotation = (kind: Kind): boolean => kind === 'rotate' || kind === 'endOthers';
const isLogin = (kind: Kind): boolean => kind === 'login' || kind === 'expressLogin';

/** Whether the browser's next request would be served: by its new cookie, or by the old one. */
function isLoggedIn(system: System<BrowserOperation>, state: MigrationState): boolean {
  const jar = system.itemAt(state, BROWSER);
  const accepted = acceptedIn(system, state);
  const tokenHash = jar?.new?.S === undefined ? undefined : hashIn(jar.new.S);
  if (tokenHash !== undefined && accepted.includes(tokenHash)) return true;
  return jar?.old !== undefined && system.itemAt(state, OLD_SESSION) !== undefined && mayMoveIn(system, state);
}

/** Whether the claim lets the old cookie move in, if the old system has its session. */
function mayMoveIn(system: System<BrowserOperation>, state: MigrationState): boolean {
  const claim = itemsWith(system, state, 'SL#')[0];
  if (claim === undefined) return true;
  if (claim.settled_at !== undefined) return false;
  const named = itemsWith(system, state, 'S#').find((item) => item.PK?.S === `S#${claim.session?.S}`);
  return named?.revoked === undefined || named.replaced_by !== undefined || named.superseded_by !== undefined;
}

function acceptedIn(system: System<BrowserOperation>, state: MigrationState): string[] {
  return itemsWith(system, state, 'S#')
    .filter((item) => 'session' in validateSessionItem(item, { partitionKey: item.PK?.S ?? '', now: state.now }))
    .map((item) => item.PK?.S?.slice(2) ?? '');
}

function itemsWith(system: System<BrowserOperation>, state: MigrationState, sortKey: string): Item[] {
  return system
    .itemIdsWith(state, sortKey)
    .map(itemById)
    .filter((item) => item !== undefined);
}

const hashes = new Map<string, string>();
function hashIn(token: string): string {
  let hash = hashes.get(token);
  if (hash === undefined) {
    hash = hashSessionToken(token);
    hashes.set(token, hash);
  }
  return hash;
}
