// SPDX-License-Identifier: Apache-2.0
/**
 * What must hold in every run of lifecycle operations, whatever their order and whatever one fault does to them.
 * The rules speak of what clients see (which tokens are accepted, what an operation said when it returned), not of how the
 * library does it.
 */
import { userKey } from '../../lambda/session/session-keys';
import { History } from './history';
import type { LifecycleOperation } from './operations';
import { USER } from './operations';
import { isDisabled, isListed, type SessionFacts, sessionsIn } from './session-facts';
import type { Process, Property, State, StepEvent } from './state';
import type { System } from './system';

type LifecycleState = State<LifecycleOperation>;
type LifecycleProcess = Process<LifecycleOperation>;

export interface InvariantOptions {
  /** Live sessions of the user at the end; absent: not limited. */
  readonly maxSessions?: number;
}

export function invariantsOf(
  system: System<LifecycleOperation>,
  options: InvariantOptions = {},
): Property<LifecycleOperation> {
  const invariants = new Invariants(system, options);
  return {
    begin: (state) =>
      History.begin(
        sessionsIn(system, state)
          .filter(({ isAccepted }) => isAccepted)
          .map(({ letter }) => letter),
      ),
    remember: (event, before, after) => invariants.remember(event, before, after),
    violations: (state) => [...invariants.always(state)],
    violationsAtEnd: (state) => [...invariants.atEnd(state)],
  };
}

class Invariants {
  readonly #system: System<LifecycleOperation>;
  readonly #options: InvariantOptions;

  constructor(system: System<LifecycleOperation>, options: InvariantOptions) {
    this.#system = system;
    this.#options = options;
  }

  remember(event: StepEvent, before: LifecycleState, after: LifecycleState): readonly number[] {
    const history = new History(before.history, after.processes.length);
    const { process, request, outcome } = event;
    const operation = before.processes[process]?.operation;
    if (operation !== undefined && request !== undefined) {
      const isFirst = before.processes[process]?.status === 'ready';
      if (isFirst) {
        // Only what a rule asks for: whatever is remembered tells states apart.
        if (operation.lineage !== undefined) history.setReturnedBefore(process, returnedIn(before));
        if (operation.kind === 'disable') history.setBegunBefore(process, before.processes.length);
        if (operation.ends !== undefined) history.promise(process);
        if (operation.kind === 'list') history.expectListed(process, this.#liveAndIssued(before));
      }
      if (event.applied && operation.kind === 'enable') history.commit(process, 'begin');
      // A login begins when the generation is read.
      if (event.applied && operation.lineage === operation.letter) history.beginLogin(operation.letter);
      if (event.applied && request.call === 'update') {
        const isUserItem = request.key.partitionKey === userKey(USER).partitionKey;
        // From the bump on, and not from its first step, an operation answers for the logins begun before it.
        if (operation.ends === 'user' && isUserItem && !history.hasCommitted(process, 'bump')) {
          history.commit(process, 'bump');
          history.promise(process);
        }
        if (isCommit(operation, request.change.set?.replaced_by !== undefined, isUserItem))
          history.commit(process, 'write');
      }
      if (outcome?.result === 'ok' && typeof outcome.token === 'string') history.issue(operation.letter);
      if (outcome !== undefined && Array.isArray(outcome.listed))
        this.#compareList(history, process, outcome.listed, after);
    }
    for (const { letter, isAccepted } of sessionsIn(this.#system, after)) history.see(letter, isAccepted);
    return history.numbers;
  }

  #liveAndIssued(state: LifecycleState): string[] {
    const history = new History(state.history, state.processes.length);
    return sessionsIn(this.#system, state)
      .filter(({ letter, isAccepted, isAnonymous }) => isAccepted && !isAnonymous && history.isIssued(letter))
      .map(({ letter }) => letter);
  }

  #compareList(history: History, process: number, listed: readonly string[], state: LifecycleState): void {
    for (const { letter, tokenHash, isAccepted } of sessionsIn(this.#system, state)) {
      if (isAccepted && history.isExpectedListed(process, letter) && !listed.includes(tokenHash))
        history.commit(process, 'missed');
      if (listed.includes(tokenHash) && history.wasDeadBefore(process, letter)) history.commit(process, 'listedDead');
    }
  }

  /** Holds in every state. */
  *always(state: LifecycleState): Iterable<string> {
    const history = new History(state.history, state.processes.length);
    for (const session of sessionsIn(this.#system, state)) {
      if (!session.isAccepted) continue;
      const { letter } = session;
      if (history.hasDied(letter)) yield `I3 ${letter}, which had ended, is accepted again`;
      if (history.isIssued(letter)) {
        yield* this.#brokenPromises(state, history, session);
        if (!session.isAnonymous && !session.isReplaced && !isListed(this.#system, state, session.tokenHash))
          yield `I7 ${letter} is alive and issued, and not listed`;
      }
      for (const { operation, outcome } of state.processes)
        if (operation.source === letter && operation.lineage !== undefined && outcome?.token !== undefined)
          yield `I5 ${operation.kind} returned, and the token it replaced is still accepted`;
    }
    for (const [index, { operation }] of state.processes.entries()) {
      if (history.hasCommitted(index, 'missed'))
        yield `I7 ${operation.kind} left out a session that was alive all the time`;
      if (history.hasCommitted(index, 'listedDead')) yield `I2 ${operation.kind} named a session that was dead before`;
    }
  }

  /** After an operation that ends sessions returned, what it ended stays refused. */
  *#brokenPromises(state: LifecycleState, history: History, session: SessionFacts): Iterable<string> {
    const lineage = lineageOf(state, session.letter);
    for (const [index, { operation, status, outcome }] of state.processes.entries()) {
      if (operation.ends === undefined || status !== 'returned' || outcome?.result !== 'ok') continue;
      if (operation.letter === session.letter) continue;
      const isMeant = operation.ends === 'user' ? !session.isAnonymous : lineage === lineageOf(state, operation.source);
      if (isMeant && history.isPromised(index, lineage))
        yield `${operation.lineage === undefined ? 'I1' : 'I6'} ${operation.kind} returned, and ${session.letter} is still accepted`;
    }
  }

  /** Holds when no operation is under way. */
  *atEnd(state: LifecycleState): Iterable<string> {
    const history = new History(state.history, state.processes.length);
    const sessions = sessionsIn(this.#system, state);
    yield* this.#leftOver(state, history, sessions);
    yield* this.#deadForNoReason(state, history, sessions);
    for (const [index, process] of state.processes.entries())
      if (process.status === 'returned') yield* this.#untrueResult(state, history, sessions, index, process);
    yield* this.#untrueTogether(state, history, sessions);
  }

  *#leftOver(state: LifecycleState, history: History, sessions: readonly SessionFacts[]): Iterable<string> {
    for (const { letter, tokenHash, isAccepted, isAnonymous } of sessions) {
      if (!isAccepted || history.isIssued(letter)) continue;
      const issuer = state.processes.find(({ operation }) => operation.letter === letter);
      if (issuer?.status === 'returned') yield `I4 ${issuer.operation.kind} failed, and the session it wrote is alive`;
      if (!isAnonymous && !isListed(this.#system, state, tokenHash))
        yield `I7 ${letter} is alive and neither issued nor listed`;
    }
  }

  *#deadForNoReason(state: LifecycleState, history: History, sessions: readonly SessionFacts[]): Iterable<string> {
    // Time and the limit end sessions too; which ones is counted in #untrueTogether.
    if (state.clockSteps > 0 || this.#options.maxSessions !== undefined) return;
    for (const { letter, isAccepted } of sessions) {
      if (isAccepted || !history.isIssued(letter)) continue;
      const issuer = state.processes.findIndex(
        ({ operation, status }) => operation.letter === letter && !isCut(status),
      );
      if (this.#mayHaveEnded(state, history, letter, issuer)) continue;
      const replacing = state.processes.filter(
        ({ operation }) => operation.source === letter && operation.lineage !== undefined,
      );
      if (replacing.some(({ status, outcome }) => isCut(status) || outcome?.token !== undefined)) continue;
      const failed = replacing.find((process) => history.hasCommitted(state.processes.indexOf(process), 'write'));
      yield failed === undefined
        ? `I2 ${letter} is dead, and nothing ended it`
        : `I4 ${failed.operation.kind} said that it failed, and the old session is dead`;
    }
  }

  /** Whether an operation meant to end this session, and not one that had returned before its token was asked for. */
  #mayHaveEnded(state: LifecycleState, history: History, letter: string, issuer: number): boolean {
    const lineage = lineageOf(state, letter);
    return state.processes.some(({ operation, status, outcome }, index) => {
      if (operation.ends === undefined || operation.letter === letter) return false;
      if (issuer >= 0 && history.hadReturnedBefore(issuer, index)) return false;
      const isMeant = operation.ends === 'user' ? lineage !== 'P' : lineage === lineageOf(state, operation.source);
      return isMeant && (isCut(status) || operation.ends === 'user' || outcome?.result === 'ok');
    });
  }

  *#untrueResult(
    state: LifecycleState,
    history: History,
    sessions: readonly SessionFacts[],
    index: number,
    { operation, outcome }: LifecycleProcess,
  ): Iterable<string> {
    const { kind, letter, source } = operation;
    const hasWritten = history.hasCommitted(index, 'write');
    const result = outcome?.result;
    const lives = sessions.some(
      (one) => one.letter === source && one.isAccepted && !one.isExpiring && history.isIssued(one.letter),
    );
    switch (kind) {
      case 'save':
        if (result === 'ok' && !hasWritten) yield 'I4 save succeeded, and nothing was written';
        if (result === 'conflict' && hasWritten) yield 'I4 save said that nothing was written, and it was';
        if (result === 'ok')
          for (const one of sessions)
            if (one.isAccepted && history.isIssued(one.letter) && lineageOf(state, one.letter) === source)
              if (!one.saved.includes(letter)) yield `I4 an acknowledged save is lost on ${one.letter}`;
        break;
      case 'renew':
        // Of two renewals in one second either may be told of the other's write, which says the same.
        if (result === 'renewed' && !state.processes.some((_, other) => history.hasCommitted(other, 'write')))
          yield 'I4 renew succeeded, and nothing was written';
        if (result === 'ended' && lives) yield 'I4 renew said that the session ended, and it lives';
        break;
      case 'rotate':
        // In its last seconds a session is not rotated any more, though another request may still renew it.
        if (
          result === 'ended' &&
          lives &&
          state.clockSteps === 0 &&
          !this.#mayHaveEnded(state, history, source ?? '', -1)
        )
          yield 'I4 rotate said that the session ended, and it lives';
        break;
      case 'revoke':
        if (result === 'ended' && lives) yield 'I4 revoke said that there is no such session, and it lives';
        break;
      case 'disable':
        if (result === 'ok' && !isDisabled(this.#system, state) && !this.#enabledSince(state, history, index))
          yield 'I4 disable returned, and the user is enabled';
        break;
      case 'login':
      case 'loginOverP':
        if (result === 'ok' && this.#wasBanned(state, history, index))
          yield `I8 ${kind} succeeded while the user was disabled`;
        break;
    }
  }

  /** Whether an enable began after this operation did; one that had begun before must not undo it. */
  #enabledSince(state: LifecycleState, history: History, index: number): boolean {
    return state.processes.some(
      ({ operation }, other) => operation.kind === 'enable' && !history.hadBegunBefore(index, other),
    );
  }

  /** Whether a disable had returned before this operation began, and no enable came after it. */
  #wasBanned(state: LifecycleState, history: History, index: number): boolean {
    return state.processes.some(
      ({ operation, outcome }, other) =>
        operation.kind === 'disable' &&
        outcome?.result === 'ok' &&
        history.hadReturnedBefore(index, other) &&
        !this.#enabledSince(state, history, other),
    );
  }

  *#untrueTogether(state: LifecycleState, history: History, sessions: readonly SessionFacts[]): Iterable<string> {
    const kept = state.processes.filter(
      ({ operation, outcome }) => operation.ends === 'user' && outcome?.token !== undefined,
    );
    if (new Set(kept.map(({ operation }) => operation.lineage)).size > 1)
      yield 'I6 two sessions each ended all others, and both were told that they succeeded';

    const live = sessions.filter(
      ({ letter, isAccepted, isReplaced }) => isAccepted && !isReplaced && history.isIssued(letter),
    );
    if (state.clockSteps === 0 && !state.processes.some(({ status }) => isCut(status)))
      for (const lineage of new Set(live.map(({ letter }) => lineageOf(state, letter))))
        if (live.filter(({ letter }) => lineageOf(state, letter) === lineage).length > 1)
          yield `I5 two tokens of the session ${lineage} are accepted`;

    const { maxSessions } = this.#options;
    if (maxSessions !== undefined)
      yield* this.#wrongNumber(state, live.filter(({ isAnonymous }) => !isAnonymous).length, maxSessions);
  }

  *#wrongNumber(state: LifecycleState, count: number, maxSessions: number): Iterable<string> {
    const kinds = state.processes.map(({ operation }) => operation.kind);
    // A rotation that crosses the counting query can leave one more, until the next login; so can a login that was cut off,
    // and one in the same second, which may count as the older one.
    const slack = kinds.includes('rotate') || state.processes.some(({ status }) => isCut(status)) ? 1 : 0;
    const logins = kinds.filter((kind) => kind === 'login' || kind === 'loginOverP').length;
    if (count > maxSessions + slack + Math.max(0, logins - 2))
      yield `I9 ${count} sessions are alive, and ${maxSessions} are allowed`;
    if (slack === 0 && count < maxSessions && !state.processes.some(({ operation }) => operation.ends !== undefined))
      yield `I9 only ${count} sessions are alive: too many were ended`;
  }
}

const isCut = (status: LifecycleProcess['status']): boolean => status === 'crashed' || status === 'calledAgain';

function returnedIn(state: LifecycleState): number {
  return state.processes.reduce((mask, { status }, index) => (status === 'returned' ? mask | (1 << index) : mask), 0);
}

/** The login that a token belongs to, by its letter: rotation keeps it. */
function lineageOf(state: LifecycleState, letter: string | undefined): string | undefined {
  return (
    state.processes.find(({ operation }) => operation.letter === letter && operation.lineage !== undefined)?.operation
      .lineage ?? letter
  );
}

/** Whether this update is the one by which the operation takes effect. */
function isCommit(operation: LifecycleOperation, replaces: boolean, isUserItem: boolean): boolean {
  if (operation.kind === 'enable') return isUserItem;
  if (operation.kind === 'save' || operation.kind === 'renew') return true;
  return operation.lineage !== undefined && replaces;
}
