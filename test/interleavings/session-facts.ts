// SPDX-License-Identifier: Apache-2.0
/** What the items in a state say, read with the library's own judgement of what is a live session. */
import { IN_FLIGHT_MARGIN_SECONDS } from '../../lambda/session/lifecycle/context';
import { collectionKey, sessionKey, userKey } from '../../lambda/session/session-keys';
import type { Item } from '../../lambda/session/store';
import { validateSessionItem } from '../../lambda/session/validate-session-item';
import { itemById } from './knowledge';
import { type Data, letterOf, USER } from './operations';
import type { Operation, State } from './state';
import type { System } from './system';

export interface SessionFacts {
  readonly tokenHash: string;
  /** Of the operation or initial session that issued the token. */
  readonly letter: string;
  /** Whether a request with this token would be let in. */
  readonly isAccepted: boolean;
  /** Whether it expires so soon that nothing renews or replaces it any more. */
  readonly isExpiring: boolean;
  readonly isAnonymous: boolean;
  readonly isReplaced: boolean;
  readonly saved: readonly string[];
}

const SESSION_SORT_KEY = sessionKey('').sortKey;
/** By time and id of the item. */
const knownAt = new Map<number, Map<number, SessionFacts>>();

/** Facts of every session item in the state, dead or alive. */
export function sessionsIn<Op extends Operation>(system: System<Op>, state: State<Op>): SessionFacts[] {
  const found: SessionFacts[] = [];
  let known = knownAt.get(state.now);
  if (known === undefined) {
    known = new Map();
    knownAt.set(state.now, known);
  }
  for (const id of system.itemIdsWith(state, SESSION_SORT_KEY)) {
    let facts = known.get(id);
    if (facts === undefined) {
      facts = factsOf(itemById(id) as Item, state.now);
      known.set(id, facts);
    }
    found.push(facts);
  }
  return found;
}

function factsOf(item: Item, now: number): SessionFacts {
  const partitionKey = item.PK?.S ?? '';
  const tokenHash = partitionKey.slice(2);
  const outcome = validateSessionItem(item, { partitionKey, now, allowAnonymous: true });
  return {
    tokenHash,
    letter: letterOf(tokenHash),
    isAccepted: 'session' in outcome,
    isExpiring: 'session' in outcome && outcome.session.expiresAt <= now + IN_FLIGHT_MARGIN_SECONDS,
    isAnonymous: item.user === undefined,
    isReplaced: item.replaced_by !== undefined,
    saved: item.data?.S === undefined ? [] : (JSON.parse(item.data.S) as Data).saved,
  };
}

export function isListed<Op extends Operation>(system: System<Op>, state: State<Op>, tokenHash: string): boolean {
  return system.itemAt(state, collectionKey(USER, tokenHash)) !== undefined;
}

export function isDisabled<Op extends Operation>(system: System<Op>, state: State<Op>): boolean {
  return system.itemAt(state, userKey(USER))?.disabled !== undefined;
}
