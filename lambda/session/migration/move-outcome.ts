// SPDX-License-Identifier: Apache-2.0
/** What one request with an old cookie comes to. */
import type { IssuedSession } from '../lifecycle/create-session';
import type { Session } from '../lifecycle/session';
import type { MoveRefusal } from './migration-report';

export type MoveOutcome<Data> =
  | { readonly issued: IssuedSession<Data>; readonly isNew: boolean }
  /** Moved in and confirmed while this request was on its way: it may be served, and gets no token. */
  | { readonly late: Session<Data> }
  | { readonly refused: MoveRefusal }
  /** Nothing was written: a dry run. */
  | 'wouldMoveIn';
