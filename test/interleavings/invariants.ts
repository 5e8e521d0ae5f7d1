// SPDX-License-Identifier: Apache-2.0
/**
 * What must hold in every run of lifecycle operations, whatever their order and whatever one fault does to them.
 * The rules speak of what clients see (which tokens are accepted, what an operation said when it returned), not of how the
 * library does it.
 */
import { userKey } from '../../lambda/session/session-keys';
import { EndInvariants, type InvariantOptions, type LifecycleState, lineageOf } from './end-invariants';
import { History } from './history';
import type { LifecycleOperation } from './operations';
import { USER } from './operations';
import { isListed, type SessionFacts, sessionsIn } from './session-facts';
import type { Property, StepEvent } from './state';
import type { System } from './system';

export function invariantsOf(
  system: System<LifecycleOperation>,
  options: InvariantOptions = {},
): Property<LifecycleOperation> {
  const invariants = new Invariants(system);
  const ends = new EndInvariants(system, options);
  return {
    begin: (state) =>
      History.begin(
        sessionsIn(system, state)
          .filter(({ isAccepted }) => isAccepted)
          .map(({ letter }) => letter),
      ),
    remember: (event, before, after) => invariants.remember(event, before, after),
    violations: (state) => [...invariants.always(state)],
    violationsAtEnd: (state) => [...ends.violations(state)],
  };
}

class Invariants {
  readonly #system: System<LifecycleOperation>;

  constructor(system: System<LifecycleOperation>) {
    this.#system = system;
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
}

function returnedIn(state: LifecycleState): number {
  return state.processes.reduce((mask, { status }, index) => (status === 'returned' ? mask | (1 << index) : mask), 0);
}

/** Whether this update is the one by which the operation takes effect. */
function isCommit(operation: LifecycleOperation, replaces: boolean, isUserItem: boolean): boolean {
  if (operation.kind === 'enable') return isUserItem;
  if (operation.kind === 'save' || operation.kind === 'renew') return true;
  return operation.lineage !== undefined && replaces;
}
