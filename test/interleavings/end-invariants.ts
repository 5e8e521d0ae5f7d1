// SPDX-License-Identifier: Apache-2.0
/** What must hold when no operation is under way: what they said is true, of each and of all together. */
import { History } from './history';
import type { LifecycleOperation } from './operations';
import { isDisabled, isListed, type SessionFacts, sessionsIn } from './session-facts';
import type { Process, State } from './state';
import type { System } from './system';

export type LifecycleState = State<LifecycleOperation>;
type LifecycleProcess = Process<LifecycleOperation>;

export interface InvariantOptions {
  /** Live sessions of the user at the end; absent: not limited. */
  readonly maxSessions?: number;
}

export class EndInvariants {
  readonly #system: System<LifecycleOperation>;
  readonly #options: InvariantOptions;

  constructor(system: System<LifecycleOperation>, options: InvariantOptions) {
    this.#system = system;
    this.#options = options;
  }

  *violations(state: LifecycleState): Iterable<string> {
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
    if (kept.length === 0 && isContest(state, history))
      yield 'I6 two sessions each ended all others, and none of them was kept';

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

/** Whether two devices that were signed in end all others, each once, and nothing else ends or rotates their sessions. */
function isContest({ processes }: LifecycleState, history: History): boolean {
  const excepts = processes.filter(({ operation }) => operation.ends === 'user' && operation.lineage !== undefined);
  const isUndisturbed = processes.every(
    ({ operation, status }) =>
      !isCut(status) &&
      operation.kind !== 'rotate' &&
      (operation.ends === undefined || operation.lineage !== undefined),
  );
  const sources = new Set(excepts.map(({ operation }) => operation.source ?? ''));
  return (
    isUndisturbed && excepts.length === 2 && sources.size === 2 && [...sources].every((one) => history.isIssued(one))
  );
}

/** The login that a token belongs to, by its letter: rotation keeps it. */
export function lineageOf(state: LifecycleState, letter: string | undefined): string | undefined {
  return (
    state.processes.find(({ operation }) => operation.letter === letter && operation.lineage !== undefined)?.operation
      .lineage ?? letter
  );
}
